/**
 * The sandbox's field for a card, in a document without an origin: the number is turned into a token here and never leaves it. Its policy
 * allows no request.
 */
import { brandOf, checkCard, formatExpiry, formatNumber, partsOf, type TypedCard } from './card-rules.ts';
import type { CardResult } from './messages.ts';
import { onPage, part, startFrame, tellPage } from './page.ts';
import { testCards } from './test-cards.ts';

const testOnly = 'This is a test account. Only test card numbers work here.';

const inputs = {
  number: part<HTMLInputElement>('number'),
  expiry: part<HTMLInputElement>('expiry'),
  code: part<HTMLInputElement>('code'),
};
const names = Object.keys(inputs) as (keyof typeof inputs)[];

const typedCard = (): TypedCard => ({
  number: inputs.number.value,
  expiry: inputs.expiry.value,
  code: inputs.code.value,
});

/** Shows an error under a field; '' removes it. */
function showError(name: keyof TypedCard, error: string): void {
  part(`${name}-foot`).textContent = error;
  if (error) inputs[name].setAttribute('aria-invalid', 'true');
  else inputs[name].removeAttribute('aria-invalid');
}

/** The first wrong field of the last try. */
let wrong: keyof TypedCard = 'number';

/** Returns the card's token. Errors are shown at their fields. */
function tokenize(): CardResult {
  const card = typedCard();
  const errors = checkCard(card, new Date());
  const known = testCards.find(({ number }) => number === card.number.replaceAll(' ', ''));
  if (!errors.number && !known) {
    errors.number = testOnly;
    part<HTMLDetailsElement>('test-list').open = true;
  }
  for (const name of names) showError(name, errors[name] ?? '');
  const first = names.find((name) => errors[name]);
  if (first || !known) {
    wrong = first ?? 'number';
    return { error: errors[wrong] ?? testOnly };
  }
  const { brand, last4, expiry } = partsOf(card);
  return {
    token: `sbx_${known.outcome}_${brand}_${last4}_${expiry.replace('/', '')}_${randomHex()}`,
    brand,
    last4,
    expiry,
  };
}

function randomHex(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(8)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Formats a field while it is typed; the caret stays behind the same digit. */
function format(input: HTMLInputElement, formatted: string): void {
  const caret = input.selectionStart ?? input.value.length;
  const isAtEnd = caret === input.value.length;
  const digitsBefore = input.value.slice(0, caret).replace(/\D/g, '').length;
  input.value = formatted;
  if (isAtEnd) return;
  let at = 0;
  for (let seen = 0; at < formatted.length && seen < digitsBefore; at += 1)
    if (/\d/.test(formatted[at] ?? '')) seen += 1;
  input.setSelectionRange(at, at);
}

function onInput(name: keyof TypedCard, event?: Event): void {
  const input = inputs[name];
  const deleting = event instanceof InputEvent && event.inputType.startsWith('delete');
  if (name === 'number') {
    format(input, formatNumber(input.value));
    part('brand').textContent = brandOf(input.value).name;
  } else if (name === 'expiry') format(input, formatExpiry(input.value, deleting));
  else input.value = input.value.replace(/\D/g, '');
  showError(name, '');
}

/** Shows what is wrong with a field that was left, not with one that is still empty. */
function onLeave(name: keyof TypedCard): void {
  if (inputs[name].value !== '') showError(name, checkCard(typedCard(), new Date())[name] ?? '');
}

for (const name of names) {
  // Typed before this script was loaded.
  if (inputs[name].value !== '') onInput(name);
  inputs[name].addEventListener('input', (event) => onInput(name, event));
  inputs[name].addEventListener('blur', () => onLeave(name));
  inputs[name].addEventListener('keydown', (event) => {
    if (event.key === 'Enter') tellPage({ type: 'submit' });
  });
}

for (const { number, text } of testCards) {
  const term = document.createElement('dt');
  term.textContent = formatNumber(number);
  const meaning = document.createElement('dd');
  meaning.textContent = text;
  part('tests').append(term, meaning);
}

onPage((message) => {
  if (message.type === 'tokenize') tellPage({ type: 'card', id: message.id, result: tokenize() });
  if (message.type === 'focus') inputs[wrong].focus();
  if (message.type === 'busy') for (const name of names) inputs[name].readOnly = message.busy;
});
startFrame();
