import { expect, test } from 'vitest';
import { type Action, type Caller, may } from './permissions.ts';

/** The expected permissions, written by hand: A D U P G Super. */
const table: Record<Action, string> = {
  'clinic.use': 'x x x - - -',
  'room.enter': 'x x x x x -',
  'room.end': 'x x x - - -',
  'guests.invite': 'x x - - - -',
  'notes.use': 'x x x - - -',
  'fee.write': 'x - - - - -',
  'recording.make': 'x x - - - -',
  'recording.delete': 'x x - - - -',
  'appointment.instant': 'x x - - - -',
  'rules.write.all': 'x - - - - -',
  'rules.write.own': 'x x - - - -',
  'company.settings': 'x - - - - -',
  'users.manage': 'x - - - - x',
  'admin.area': 'x - - - - x',
  'audit.read': 'x - - - - x',
  'patient.erase': 'x - - - - -',
  'companies.manage': '- - - - - x',
  'account.own': 'x x x - - x',
  'account.menu': '- x x - - -',
};
const callers: Caller[] = ['A', 'D', 'U', 'P', 'G', 'Super'];

test.each(Object.entries(table))('%s: %s @ROLE-1 @ROLE-5', (action, row) => {
  expect(callers.map((caller) => (may(caller, action as Action) ? 'x' : '-')).join(' ')).toBe(row);
  expect(may(undefined, action as Action)).toBe(false);
});
