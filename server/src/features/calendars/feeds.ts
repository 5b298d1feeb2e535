import {
  changeClinicFeed as changeClinicCall,
  changeProviderFeed as changeProviderCall,
  createClinicFeed as createClinicCall,
  createProviderFeed as createProviderCall,
  getClinicFeed as getClinicCall,
  getProviderCalendar as getProviderCall,
  removeClinicFeed as removeClinicCall,
  removeProviderFeed as removeProviderCall,
} from '@roomside/contract/calendars/calls.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { findExternal } from './external-rows.ts';
import { changeFeed, createFeed, findFeed, removeFeed, requireCalendarOf } from './feed-rows.ts';

export const getProviderCalendar = forStaff(getProviderCall, async ({ context, caller, params, tx, now }) => {
  const { userId } = params;
  await requireCalendarOf(context, tx, caller, userId);
  return {
    feed: await findFeed(tx, caller.companyId, userId),
    external: await findExternal(context, tx, { companyId: caller.companyId, userId, now }),
  };
});

export const createProviderFeed = forStaff(createProviderCall, async ({ context, caller, params, body, tx, now }) => {
  await requireCalendarOf(context, tx, caller, params.userId);
  return createFeed(context, tx, { companyId: caller.companyId, owner: params.userId, ...body, now });
});

export const changeProviderFeed = forStaff(changeProviderCall, async ({ context, caller, params, body, tx }) => {
  await requireCalendarOf(context, tx, caller, params.userId);
  await changeFeed(tx, caller.companyId, params.userId, body);
  return undefined;
});

export const removeProviderFeed = forStaff(removeProviderCall, async ({ context, caller, params, tx }) => {
  await requireCalendarOf(context, tx, caller, params.userId);
  await removeFeed(tx, caller.companyId, params.userId);
  return undefined;
});

export const getClinicFeed = forStaff(getClinicCall, async ({ caller, tx }) => ({
  feed: await findFeed(tx, caller.companyId, null),
}));

export const createClinicFeed = forStaff(createClinicCall, async ({ context, caller, body, tx, now }) =>
  createFeed(context, tx, { companyId: caller.companyId, owner: null, ...body, now }),
);

export const changeClinicFeed = forStaff(changeClinicCall, async ({ caller, body, tx }) => {
  await changeFeed(tx, caller.companyId, null, body);
  return undefined;
});

export const removeClinicFeed = forStaff(removeClinicCall, async ({ caller, tx }) => {
  await removeFeed(tx, caller.companyId, null);
  return undefined;
});
