import type { ZxcvbnFactory } from '@zxcvbn-ts/core';

/** What an attacker with the usual lists has to try before this password; fewer are refused. */
const minGuesses = 5e7;
/** A longer password is at least as strong as its beginning; the check takes longer than linear time. */
const maxChecked = 32;

let loaded: Promise<ZxcvbnFactory> | undefined;

/** Loaded with the first password that is set: the lists of 49,000 common passwords, words and names take 60 MB. */
function load(): Promise<ZxcvbnFactory> {
  loaded ??= (async () => {
    const [{ ZxcvbnFactory }, common, english] = await Promise.all([
      import('@zxcvbn-ts/core'),
      import('@zxcvbn-ts/language-common'),
      import('@zxcvbn-ts/language-en'),
    ]);
    const dictionary = { ...common.dictionary, ...english.dictionary };
    return new ZxcvbnFactory({ dictionary, graphs: common.adjacencyGraphs });
  })();
  return loaded;
}

/**
 * Whether a password is among those that attackers try first, instead of rules of composition (NIST SP 800-63B-4): common
 * ones and what is made of them by the usual substitutions, patterns, and words of the person and the clinic.
 *
 * @param own names, email and clinic of the person
 */
export async function isEasyToGuess(password: string, own: readonly string[]): Promise<boolean> {
  const words = own.flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]+/u), text.replace(/[^\p{L}\p{N}]+/gu, '')]);
  const checker = await load();
  const checked = password.normalize('NFKC').slice(0, maxChecked);
  const { guesses } = checker.check(checked, [...new Set(words.filter((word) => word.length >= 3)), 'roomside']);
  return guesses < minGuesses;
}
