import EventRepeatOutlinedIcon from '@mui/icons-material/EventRepeatOutlined';
import { Box, Link } from '@mui/material';
import type { OutsideAppointment } from '@roomside/contract/appointments/outside-appointment.ts';
import { getFirstSteps } from '@roomside/contract/first-steps/calls.ts';
import { may } from '@roomside/contract/permissions.ts';
import { listSchedule, listSlots } from '@roomside/contract/schedule/calls.ts';
import { deleteRule, listRules, type RuleRow } from '@roomside/contract/scheduling-rules/calls.ts';
import { ruleWords } from '@roomside/contract/scheduling-rules/recurrence.ts';
import { useRef, useState } from 'react';
import { Link as RouterLink } from 'react-router';
import { useSignIn } from '../../api/sign-in.ts';
import type { SignInState } from '../../api/sign-in-state.ts';
import { useChange } from '../../api/use-call.ts';
import { useCompany } from '../../api/use-company.ts';
import type { Column } from '../../list/column.ts';
import { DeleteAction } from '../../list/DeleteAction.tsx';
import { focusedRow, leaveRow } from '../../list/leave-row.ts';
import { useListState } from '../../list/list-state.ts';
import { RecordListPage } from '../../list/RecordListPage.tsx';
import { useList } from '../../list/use-list.ts';
import { to } from '../../paths.ts';
import { dateOf, formatDate, ownZone } from '../../time/time.ts';
import { confirm } from '../../ui/confirm.ts';
import { OutsideAppointmentsDialog } from './OutsideAppointmentsDialog.tsx';
import { ScheduleTabs } from './ScheduleTabs.tsx';
import { texts } from './texts.ts';

/** RULES-1. */
export function RuleListPage() {
  const state = useListState('rules');
  const list = useList(listRules, state);
  const signIn = useSignIn();
  const zone = useCompany()?.timeZone ?? ownZone();
  const [outside, setOutside] = useState<readonly OutsideAppointment[]>();
  const mayAdd = signIn.status === 'in' && may(signIn.caller, 'rules.write.own');
  /** The row that is deleted. */
  const place = useRef<ReturnType<typeof focusedRow>>(undefined);
  const remove = useChange(deleteRule, {
    invalidates: [listSchedule, listSlots, getFirstSteps],
    success: texts.deleted,
    onSuccess: (result, { params }) => {
      leaveRow(place.current);
      list.remove(({ ruleId }) => ruleId === params.ruleId);
      if (result.outside.length > 0) setOutside(result.outside);
    },
  });
  const ask = async ({ ruleId, description }: RuleRow) => {
    place.current = focusedRow();
    const question = { text: texts.deleteQuestion, details: [description], yes: texts.delete, no: texts.cancel };
    const yes = await confirm({ ...question, danger: true });
    if (yes) remove.mutate({ params: { ruleId } });
  };
  return (
    <RecordListPage
      texts={texts}
      list={list}
      columns={columnsIn(zone)}
      rowKey={({ ruleId }) => ruleId}
      actions={(row) =>
        mayChange(signIn, row.providers) && (
          <DeleteAction label={texts.remove(row.description)} onDelete={() => void ask(row)} />
        )
      }
      addTo={mayAdd ? to.adminSchedulingEdit({ ruleId: 0 }) : undefined}
      icon={<EventRepeatOutlinedIcon />}
    >
      <ScheduleTabs value="rules" />
      <OutsideAppointmentsDialog appointments={outside} onClose={() => setOutside(undefined)} />
    </RecordListPage>
  );
}

/** Administrators change all rules; doctors only rules for themselves. A rule without providers is no one's own. */
function mayChange(signIn: SignInState, providers: readonly { userId: number }[]): boolean {
  if (signIn.status !== 'in') return false;
  if (may(signIn.caller, 'rules.write.all')) return true;
  const own = Number(signIn.claims.sub);
  return (
    may(signIn.caller, 'rules.write.own') && providers.length > 0 && providers.every(({ userId }) => userId === own)
  );
}

function columnsIn(zone: string): Column<RuleRow>[] {
  return [
    { header: texts.columns.id, sort: 'ruleId', cell: ({ ruleId }) => ruleId, wideOnly: true },
    {
      header: texts.columns.description,
      sort: 'description',
      cell: ({ ruleId, description, disabled }) => (
        <Link
          component={RouterLink}
          to={to.adminSchedulingEdit({ ruleId })}
          sx={{ textDecoration: disabled ? 'line-through' : undefined }}
        >
          {description}
          {disabled && <Box component="span" sx={hidden}>{` (${texts.disabledRule})`}</Box>}
        </Link>
      ),
    },
    {
      header: texts.columns.from,
      sort: 'from',
      cell: ({ recurrence }) => formatDate(recurrence.activeStartDate),
    },
    {
      header: texts.columns.to,
      sort: 'to',
      cell: ({ recurrence: { ruleType, activeStartDate, activeEndDate } }) => {
        if (ruleType === 'S') return formatDate(activeStartDate);
        return activeEndDate ? (
          formatDate(activeEndDate)
        ) : (
          <span style={{ whiteSpace: 'nowrap' }}>{texts.forEver}</span>
        );
      },
    },
    { header: texts.columns.pattern, cell: ({ recurrence }) => ruleWords(recurrence) },
    {
      header: texts.columns.providers,
      cell: ({ providers }) =>
        providers.map(({ firstName, lastName }) => `${firstName} ${lastName.slice(0, 1)}.`).join(', '),
    },
    {
      header: texts.columns.created,
      sort: 'created',
      cell: ({ created }) => formatDate(dateOf(created, zone)),
    },
  ];
}

const hidden = { position: 'absolute', width: 1, height: 1, overflow: 'hidden', clipPath: 'inset(50%)' } as const;
