/** Formats ten digits as '(212) 555-0100'; returns anything else unchanged. */
export function formatPhone(digits: string): string {
  return digits.replace(/^(\d{3})(\d{3})(\d{4})$/, '($1) $2-$3');
}
