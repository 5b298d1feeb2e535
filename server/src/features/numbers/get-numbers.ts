import { getNumbers as call } from '@roomside/contract/numbers/calls.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { rangeOf, readNumbers } from './read-numbers.ts';

export const getNumbers = forStaff(call, ({ caller, query, tx, now }) =>
  readNumbers(tx, caller, rangeOf(query.weeks, caller.timeZone, now), now),
);
