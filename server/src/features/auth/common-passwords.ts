/** Passwords of eight and more characters that every attacker tries first, lower case. */
export const commonPasswords: ReadonlySet<string> = new Set(
  `password password1 password12 password123 password1234 passw0rd p@ssw0rd p@ssword p@ssw0rd1 pa$$word pa$$w0rd
  12345678 123456789 1234567890 87654321 987654321 9876543210 11111111 111111111 00000000 12341234 12344321 11223344 112233445566
  123123123 123321123 147258369 159357456 789456123 741852963 963852741 10203040 1q2w3e4r 1q2w3e4r5t 1q2w3e4r5t6y 1qaz2wsx
  1qaz2wsx3edc qazwsxedc zaq12wsx zaq1zaq1 q1w2e3r4 q1w2e3r4t5 a1b2c3d4 abcd1234 abc12345 abcdefgh abcdefg1 asdfghjk asdfghjkl
  asdf1234 qwertyui qwertyuiop qwerty12 qwerty123 qwerty1234 qwer1234 qwert123 zxcvbnm1 zxcvbnm, azertyuiop qwertz123
  iloveyou iloveyou1 iloveyou2 ilovegod sunshine sunshine1 princess princess1 football football1 baseball baseball1 basketball
  superman superman1 batman123 spiderman pokemon1 starwars starwars1 trustno1 letmein1 letmein123 welcome1 welcome12 welcome123
  welcome2024 welcome2025 welcome2026 changeme changeme1 changeme123 admin123 admin1234 administrator administrator1 root1234
  default1 master123 monkey123 dragon123 shadow123 michael1 jennifer jessica1 michelle charlie1 anthony1 whatever computer
  computer1 internet internet1 samsung1 liverpool chelsea1 arsenal1 barcelona manchester mustang1 corvette mercedes
  secret123 test1234 testtest testing123 testing1 user1234 guest123 login123 temp1234 temporary hello123 hello1234 helloworld
  freedom1 forever1 lovelove loveyou1 blink182 metallica nirvana1 slipknot cocacola chocolate cookie123 butterfly flower123
  summer2024 summer2025 summer2026 winter2024 winter2025 winter2026 spring2025 spring2026 autumn2025 autumn2026 january1
  february september november december monday123 friday13 hospital hospital1 clinic123 clinic2026 doctor123 doctor12 nurse123
  medicine medical1 health123 healthcare patient1 patient123 roomside roomside1 roomside123`.split(/\s+/),
);
