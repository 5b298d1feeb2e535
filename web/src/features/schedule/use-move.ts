import { listAppointments } from '@roomside/contract/appointments/calls.ts';
import type { ResultOf } from '@roomside/contract/call.ts';
import { moveUndoMs } from '@roomside/contract/limits.ts';
import {
  getScheduleSettings,
  listSchedule,
  listSlots,
  moveAppointment,
  type ScheduleEntry,
  type TakenSlot,
} from '@roomside/contract/schedule/calls.ts';
import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { wordsFor } from '../../api/errors.ts';
import { isRefusal } from '../../api/problem.ts';
import { send } from '../../api/send.ts';
import { invalidate, readKey } from '../../api/use-call.ts';
import { toast } from '../../ui/toast.ts';
import { askAboutTaken } from '../appointments/overbook.ts';
import { wordsForMove } from './move-words.ts';
import { texts } from './texts.ts';

interface Target {
  /** Instant. */
  startDate: string;
  doctorId: number;
}

type Move = (entry: ScheduleEntry, target: Target, more?: { overbook?: boolean; isUndo?: boolean }) => Promise<void>;

/**
 * SCHED-3, STATE-25: shows an appointment at its new place immediately, and at its old one when the server refuses.
 * Resolves after the server's response and the user's choice.
 */
export function useMove(zone: string): Move {
  const client = useQueryClient();
  return useMemo(() => mover(client, zone), [client, zone]);
}

function mover(client: QueryClient, zone: string): Move {
  /** Moves in progress: a second drop of the same appointment does nothing. */
  const moving = new Set<number>();

  const move: Move = async (entry, target, { overbook = false, isUndo = false } = {}) => {
    const { appointmentId, version } = entry;
    if (moving.has(appointmentId)) return;
    if (target.startDate === entry.startDate && target.doctorId === entry.doctorId) return;
    moving.add(appointmentId);
    let refused: unknown;
    try {
      // A pending result would put it back.
      await client.cancelQueries({ queryKey: readKey(listSchedule) });
      const length = Date.parse(entry.endDate) - Date.parse(entry.startDate);
      const endDate = new Date(Date.parse(target.startDate) + length).toISOString();
      patch(client, appointmentId, { ...target, endDate });
      const body = { ...target, version, ...(overbook && { overbook }) };
      const { notice, ...moved } = await send(moveAppointment, { params: { appointmentId }, body });
      const stored = { ...entry, ...target, ...moved };
      patch(client, appointmentId, stored);
      const back = { startDate: entry.startDate, doctorId: entry.doctorId };
      const undo = { label: texts.undo, run: () => void move(stored, back, { isUndo: true }) };
      toast.success(
        wordsForMove({ from: entry, to: stored, provider: nameOf(client, target.doctorId), zone, notice, isUndo }),
        isUndo ? {} : { duration: moveUndoMs, action: undo, across: 'next' },
      );
    } catch (error) {
      refused = error;
      patch(client, appointmentId, entry);
    } finally {
      moving.delete(appointmentId);
      // Also after an error: the server may have moved it although the response was lost.
      void invalidate(client, [listSchedule, listSlots, listAppointments]);
    }
    if (!refused) return;
    if (!isRefusal(refused, 'slot-taken') || overbook) return void toast.error(wordsFor(refused));
    const current = refused.current as Partial<TakenSlot> | undefined;
    const choice = await askAboutTaken(current, zone);
    if (choice === 'overbook') await move(entry, target, { overbook: true, isUndo });
    else if (choice !== null) await move(entry, { ...target, startDate: choice });
  };
  return move;
}

/** The name of a provider of the calendar, as read. */
function nameOf(client: QueryClient, doctorId: number): string {
  const read = client.getQueryData<ResultOf<typeof getScheduleSettings>>(readKey(getScheduleSettings));
  const provider = read?.physicians.find(({ userId }) => userId === doctorId);
  return provider ? `${provider.firstName} ${provider.lastName}`.trim() : texts.formerProvider;
}

/** Changes one appointment in every cached range. */
function patch(client: QueryClient, appointmentId: number, change: Partial<ScheduleEntry>): void {
  client.setQueriesData<ResultOf<typeof listSchedule>>({ queryKey: readKey(listSchedule) }, (range) => {
    if (!range?.data.some((entry) => entry.appointmentId === appointmentId)) return range;
    const data = range.data
      .map((entry) => (entry.appointmentId === appointmentId ? { ...entry, ...change } : entry))
      .sort((a, b) => a.startDate.localeCompare(b.startDate) || a.appointmentId - b.appointmentId);
    return { ...range, data };
  });
}
