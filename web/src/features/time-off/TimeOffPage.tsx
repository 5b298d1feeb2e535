import EditOutlinedIcon from '@mui/icons-material/EditOutlined';
import EventBusyOutlinedIcon from '@mui/icons-material/EventBusyOutlined';
import { Box, Card, IconButton, Stack, Tooltip, Typography } from '@mui/material';
import type { OutsideAppointment } from '@roomside/contract/appointments/outside-appointment.ts';
import { may } from '@roomside/contract/permissions.ts';
import { listSchedule, listSlots } from '@roomside/contract/schedule/calls.ts';
import {
  deleteTimeOff,
  listTimeOff,
  listTimeOffAppointments,
  type TimeOffRow,
} from '@roomside/contract/time-off/calls.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { wordsFor } from '../../api/errors.ts';
import { send } from '../../api/send.ts';
import { useSignIn } from '../../api/sign-in.ts';
import type { SignInState } from '../../api/sign-in-state.ts';
import { invalidate, useChange, useRead } from '../../api/use-call.ts';
import { DeleteAction } from '../../list/DeleteAction.tsx';
import { focusedRow, leaveRow } from '../../list/leave-row.ts';
import { RefreshButton } from '../../list/RefreshButton.tsx';
import { formatLongDate } from '../../time/time.ts';
import { Button } from '../../ui/Button.tsx';
import { confirm } from '../../ui/confirm.ts';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { LoadError } from '../../ui/LoadError.tsx';
import { Page } from '../../ui/Page.tsx';
import { CardsSkeleton } from '../../ui/Skeletons.tsx';
import { toast } from '../../ui/toast.ts';
import { useReached } from '../../ui/use-reached.ts';
import { OutsideAppointmentsDialog } from '../scheduling-rules/OutsideAppointmentsDialog.tsx';
import { ScheduleTabs } from '../scheduling-rules/ScheduleTabs.tsx';
import { TimeOffDialog } from './TimeOffDialog.tsx';
import { texts } from './texts.ts';

const whoOf = ({ provider }: TimeOffRow) => (provider ? `${provider.firstName} ${provider.lastName}` : texts.clinic);
const nameOf = (row: TimeOffRow) => texts.name(whoOf(row), daysOf(row));
const daysOf = ({ firstDay, lastDay }: TimeOffRow) => texts.days(formatLongDate(firstDay), formatLongDate(lastDay));

/** Administrators change closures and leave; doctors their own leave. */
function mayChange(signIn: SignInState, userId: number | null): boolean {
  if (signIn.status !== 'in') return false;
  if (may(signIn.caller, 'rules.write.all')) return true;
  return may(signIn.caller, 'rules.write.own') && userId === Number(signIn.claims.sub);
}

/** /admin/scheduling/time-off: closures of the clinic and leave of its providers. */
export function TimeOffPage() {
  const signIn = useSignIn();
  const [past, setPast] = useState(false);
  const list = useRead(listTimeOff, { query: past ? { past } : {} }, { staleTime: 0, keepPrevious: true });
  const [edited, setEdited] = useState<TimeOffRow | 'new'>();
  const [outside, setOutside] = useState<readonly OutsideAppointment[]>();
  const client = useQueryClient();
  /** The row that is deleted. */
  const place = useRef<ReturnType<typeof focusedRow>>(undefined);
  const remove = useChange(deleteTimeOff, {
    success: texts.deleted,
    onSuccess: () => {
      leaveRow(place.current);
      return invalidate(client, [listTimeOff, listSchedule, listSlots]);
    },
  });
  const mayAdd = signIn.status === 'in' && may(signIn.caller, 'rules.write.own');
  const add = { label: texts.add, onClick: () => setEdited('new') };

  async function ask(row: TimeOffRow) {
    place.current = focusedRow();
    const question = { text: texts.deleteQuestion, details: [nameOf(row)], yes: texts.delete, no: texts.cancel };
    if (await confirm({ ...question, danger: true })) remove.mutate({ params: { timeOffId: row.timeOffId } });
  }
  async function show({ timeOffId }: TimeOffRow) {
    try {
      setOutside((await send(listTimeOffAppointments, { params: { timeOffId } })).data);
    } catch (error) {
      toast.error(wordsFor(error));
    }
  }

  const isRead = useReached(list.isFetched);
  // No rows of the other list do not mean that there are none.
  const rows = list.isPlaceholderData && list.data?.data.length === 0 ? undefined : list.data?.data;
  return (
    <Page
      title={texts.title}
      width="form"
      {...(mayAdd && { add })}
      actions={<RefreshButton onRefresh={() => void list.refetch()} />}
    >
      <ScheduleTabs value="timeOff" />
      <Typography color="textSecondary" sx={{ mb: 2 }}>
        {texts.intro}
      </Typography>
      {list.error && !rows && <LoadError error={list.error} onRetry={() => void list.refetch()} />}
      {!rows && !list.error && <CardsSkeleton />}
      {rows?.length === 0 && (
        <EmptyState
          text={past ? texts.nonePast : texts.none}
          icon={<EventBusyOutlinedIcon />}
          action={
            mayAdd && (
              <Button look="primary" onClick={add.onClick}>
                {add.label}
              </Button>
            )
          }
        />
      )}
      <Stack component="ul" aria-label={texts.title} sx={{ gap: 1.5, listStyle: 'none', p: 0, m: 0 }}>
        {rows?.map((row) => {
          const name = nameOf(row);
          return (
            <Card
              component="li"
              key={row.timeOffId}
              sx={{ p: 2, display: 'flex', flexWrap: 'wrap', gap: 1, alignItems: 'center' }}
            >
              <Box sx={{ flex: '1 1 240px', minWidth: 0 }}>
                <Typography sx={{ fontWeight: 600 }}>{daysOf(row)}</Typography>
                <Typography variant="body2">{whoOf(row)}</Typography>
                {row.reason && (
                  <Typography variant="body2" color="textSecondary">
                    {row.reason}
                  </Typography>
                )}
              </Box>
              {row.appointments > 0 && (
                <Button look="secondary" onClick={() => void show(row)}>
                  {texts.appointments(row.appointments)}
                </Button>
              )}
              {mayChange(signIn, row.userId) && (
                <Box sx={{ ml: 'auto' }}>
                  <Tooltip title={texts.edit(name)}>
                    <IconButton aria-label={texts.edit(name)} onClick={() => setEdited(row)}>
                      <EditOutlinedIcon fontSize="small" />
                    </IconButton>
                  </Tooltip>
                  <DeleteAction label={texts.remove(name)} onDelete={() => void ask(row)} />
                </Box>
              )}
            </Card>
          );
        })}
      </Stack>
      {isRead && (
        <Button look="secondary" sx={{ mt: 2 }} onClick={() => setPast(!past)}>
          {past ? texts.upcoming : texts.past}
        </Button>
      )}
      {edited && (
        <TimeOffDialog
          row={edited === 'new' ? null : edited}
          onClose={() => setEdited(undefined)}
          onSaved={(appointments) => {
            setEdited(undefined);
            if (appointments.length > 0) setOutside(appointments);
          }}
        />
      )}
      <OutsideAppointmentsDialog
        appointments={outside}
        title={texts.appointmentsIn(outside?.length ?? 0)}
        onClose={() => setOutside(undefined)}
      />
    </Page>
  );
}
