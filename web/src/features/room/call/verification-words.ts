import { wordlist } from '@scure/bip39/wordlists/english.js';

/** Words of the list that a patient should not have to read to a doctor: of harm, illness, crime or insult, and those that sound alike. */
const left = new Set(
  (
    'abuse accident accuse acid addict afraid agony alcohol alien anger angry anxiety army arrest assault asthma attack awful awkward ' +
    'bachelor betray bitter blame bleak blind blood bomb bone boring brain bullet bunker burden burst butter cancer cannon casino caution ' +
    'chaos cheap chronic cigar clinic cough crash crater crazy crime crisis critic cruel crush cry damage danger dead debris decline defense ' +
    'defy demise denial deny despair destroy devil dirt disagree disease dismiss disorder divorce dizzy doctor dose drama drastic dumb dwarf ' +
    'enemy error erupt escape evil exclude exhaust exile fail fake false fat fatal fatigue fault fear fetus fever filthy flee fool forget fragile ' +
    'funeral fury garbage gasp ghost gloom gorilla grief grit gun guilt guilty harm harsh hate hazard hell horror hospital hurt idiot ill illegal ' +
    'illness inflict injury inmate insane inject invade jail jealous junk kidney kill knife lawsuit lazy liar limb lonely loan lose loss lost mad ' +
    'mess miserable misery missile monster murder muscle naive nasty negative neglect nerve nuclear nurse obey obscure odor orphan pain panic ' +
    'patient penalty pill pistol police poison poor poverty prison problem punch punish purge rebel reject rib rifle riot risk rival rotten rough rude ruin ' +
    'sad sadness scare scatter shock sick siege silly skull slave slim slap smoke soldier sorry spider stomach struggle stumble stupid suffer surgeon ' +
    'suspect swear swamp symptom terror thief threat tissue tobacco toe tongue torture toxic tragic trap trash trauma trick trouble ugly ' +
    'unfair unhappy upset useless vacant vicious victim violent virus warfare warrior weak weapon weird whip wound wreck wrong ' +
    'female male skin satoshi eight there their steel flour flower hour night knight right write piece peace pair pear meat meet week son sun sea see ' +
    'brake break die dye hair hare mail main mane one won two too ate tale tail sail sale'
  ).split(' '),
);

/** At least 1,024 plain English words (BIP-39's list, whose words differ in their first four letters). */
export const verificationWords: readonly string[] = wordlist.filter((word) => !left.has(word));
