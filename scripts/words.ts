import fs from 'node:fs';
import path from 'node:path';
import { root } from './steps.ts';

/**
 * Words that the code, its comments, its tests and its documents do not use (docs/glossary.md): private words for what the
 * field has a term for, and pronouns that give a patient or provider a gender. Prints each line that has one, and fails.
 */
interface Rule {
  readonly pattern: RegExp;
  readonly instead: string;
}

const rule = (pattern: RegExp, instead: string): Rule => ({ pattern, instead });

const RULES: readonly Rule[] = [
  rule(/\bwho(?:m)?ever\b/gi, 'the person, client or caller that is meant'),
  rule(/\bnobody\b/gi, 'no one, no client, no user'),
  rule(/\banew\b/gi, 'again'),
  rule(/\bin vain\b/gi, 'without result'),
  rule(/\b(?:perhaps|surely)\b/gi, 'may, or say when'),
  rule(/\bof its own\b/gi, 'its own, or separate'),
  rule(/\b(?:is|are|was|were|be|been|being|gets?|got|has|have|had)(?: not)? told\b/gi, 'is notified, receives'),
  rule(/\bhears? (?:of|about)\b/gi, 'is notified of'),
  rule(/\bcom(?:es?|ing) to nothing\b/gi, 'has no effect, fails'),
  rule(/\bgo(?:es|ing)? by\b/gi, 'uses, follows, passes'),
  rule(/\bat once\b/gi, 'immediately, or in one step'),
  rule(/(?<!as )\bsoon\b(?! as)/gi, 'say when'),
  rule(/\bnews\b/gi, 'event, message, change'),
  rule(/\b(?:the|a|its|our|this|whole) house\b/gi, 'company, installation or instance'),
  rule(/(?<!next )\bdoors?\b/gi, 'unauthenticated, sign-in, room'),
  rule(/\b(?:a|an|the|this|that|its|each|every|one|open|new|last|same|lost|of) stays?\b/gi, 'attendance'),
  rule(/\bseats?\b/gi, 'membership, peer'),
  rule(/\bfallen\b/gi, 'revoked'),
  rule(/\b\w+Most\b|\bmost[A-Z]\w*\b/g, 'max…'),
  rule(/\b(?:he|she|him|his|her|hers|himself|herself)\b/gi, 'they, their, or the noun'),
];

/** Texts that the specification gives word by word. */
const QUOTED: readonly string[] = ['Your provider will be with you soon, please do not close this window'];

const FILES = [
  '*.md',
  '{contract,signalr,server,web,e2e,bench,scripts}/**/*.{ts,tsx,mjs,sql,md,css,html}',
  'docs/**/*.md',
];

/** The requirements are the specification's words; the glossary and these files name what is not used. */
const LEFT_OUT = new Set(['docs/requirements.md', 'docs/glossary.md', 'scripts/words.ts', 'scripts/words.test.ts']);

export interface Found {
  readonly file: string;
  readonly line: number;
  readonly word: string;
  readonly instead: string;
}

/** The words in a text, by line, in the order of the rules. */
export function findWords(file: string, text: string): Found[] {
  return text.split('\n').flatMap((line, index) => {
    const own = QUOTED.reduce((rest, quoted) => rest.replaceAll(quoted, ''), line);
    return RULES.flatMap(({ pattern, instead }) =>
      [...own.matchAll(pattern)].map(([word]) => ({ file, line: index + 1, word, instead })),
    );
  });
}

function findInRepository(): Found[] {
  const exclude = (name: string) => ['node_modules', 'dist', 'data'].includes(path.basename(name));
  return fs
    .globSync(FILES, { cwd: root, exclude })
    .filter((file) => !LEFT_OUT.has(file))
    .sort()
    .flatMap((file) => findWords(file, fs.readFileSync(path.join(root, file), 'utf8')));
}

if (import.meta.main) {
  const found = findInRepository();
  for (const { file, line, word, instead } of found) console.log(`${file}:${line}: "${word}": ${instead}`);
  console.log(`${found.length} words that are not used here.`);
  if (found.length > 0) process.exitCode = 1;
}
