import type { ZxcvbnFactory } from '@zxcvbn-ts/core';

/** A password that an attacker with the usual lists finds with fewer guesses is refused. */
const minGuesses = 5e7;
/** Only so many characters are checked: a longer password is at least as strong, and the check is slower than linear. */
const maxCheckedLength = 32;

let checkerPromise: Promise<ZxcvbnFactory> | undefined;

/** Loads the checker when it is first used: its lists of 49,000 passwords, words and names take 60 MB. */
function loadChecker(): Promise<ZxcvbnFactory> {
  checkerPromise ??= (async () => {
    const [{ ZxcvbnFactory }, common, english] = await Promise.all([
      import('@zxcvbn-ts/core'),
      import('@zxcvbn-ts/language-common'),
      import('@zxcvbn-ts/language-en'),
    ]);
    const dictionary = { ...common.dictionary, ...english.dictionary };
    return new ZxcvbnFactory({ dictionary, graphs: common.adjacencyGraphs });
  })();
  return checkerPromise;
}

/**
 * Returns whether attackers try this password early: common passwords, the usual substitutions and patterns, and words of
 * the person and the company. Replaces rules of composition (NIST SP 800-63B-4).
 *
 * @param personalWords names, email and company of the person
 */
export async function isEasyToGuess(password: string, personalWords: readonly string[]): Promise<boolean> {
  const words = personalWords.flatMap((text) => [
    text,
    ...text.split(/[^\p{L}\p{N}]+/u),
    text.replace(/[^\p{L}\p{N}]+/gu, ''),
  ]);
  const checker = await loadChecker();
  const checked = password.normalize('NFKC').slice(0, maxCheckedLength);
  const { guesses } = checker.check(checked, [...new Set(words.filter((word) => word.length >= 3)), 'roomside']);
  return guesses < minGuesses;
}
