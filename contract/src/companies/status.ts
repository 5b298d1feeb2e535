/** STATE-23. */
export type CompanyStatus = 'Disabled' | 'Expired' | 'Healthy';

interface Licensed {
  readonly disabled: boolean;
  /** YYYY-MM-DD. */
  readonly expirationDate: string;
}

/** STATE-24: a license ends with the day before its date. `today`: the day in the company's zone, YYYY-MM-DD. */
export const isExpired = ({ expirationDate }: Pick<Licensed, 'expirationDate'>, today: string): boolean =>
  expirationDate <= today;

/** STATE-23: what the list shows. */
export function companyStatus(company: Licensed, today: string): CompanyStatus {
  if (company.disabled) return 'Disabled';
  return isExpired(company, today) ? 'Expired' : 'Healthy';
}
