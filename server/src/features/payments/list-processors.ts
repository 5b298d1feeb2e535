import { listPaymentProcessors as call } from '@roomside/contract/payments/calls.ts';
import { processorNames, processors } from '@roomside/contract/payments/processors.ts';
import { forUsers } from '../../platform/http/handler.ts';

/** CALL-20, ENTITY-6. */
export const listPaymentProcessors = forUsers(call, async () => ({
  data: processorNames.map((processor) => ({ processor, ...processors[processor] })),
}));
