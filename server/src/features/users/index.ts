import { getAccount } from './get-account.ts';
import { listDoctors } from './list-doctors.ts';
import { saveAccount } from './save-account.ts';

export const userCalls = [listDoctors, getAccount, saveAccount];
