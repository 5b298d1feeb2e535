import { getCsvDefinition as call } from '@roomside/contract/csv-import/calls.ts';
import { forStaff } from '../../platform/http/handler.ts';
import { blankDefinition } from './columns.ts';

export const getCsvDefinition = forStaff(call, async ({ query }) => blankDefinition(query.type));
