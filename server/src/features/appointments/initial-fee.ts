import { sql } from 'kysely';

/** The initial fee of an appointment, dollars: the provider's, else the company's. */
export const initialFee = (ofProvider: string | null | undefined, ofCompany: string): string => ofProvider ?? ofCompany;

/** {@link initialFee} as an expression of an insert, without a statement before it. */
export const selectInitialFee = (companyId: number, doctorId: number) => sql<string>`(
  select coalesce(d.self_pay_fee, c.self_pay_fee) from companies c
  left join users d on d.company_id = c.company_id and d.user_id = ${doctorId} where c.company_id = ${companyId})`;
