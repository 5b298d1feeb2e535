import {
  type BookableStart,
  bookSlot,
  type ContactConfirmation,
  holdSlot,
  listBookingSlots,
  releaseSlot,
} from '@roomside/contract/booking/calls.ts';
import type { BodyOf } from '@roomside/contract/call.ts';
import type { TakenSlot } from '@roomside/contract/schedule/calls.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { wordsFor } from '../../api/errors.ts';
import { isRefusal } from '../../api/problem.ts';
import { send } from '../../api/send.ts';
import { invalidate } from '../../api/use-call.ts';
import { now } from '../../time/time.ts';
import {
  type Access,
  type BookingState,
  bookedState,
  type Confirmation,
  freshBooking,
  loadBooking,
  type Person,
  saveBooking,
} from './booking-state.ts';
import { texts } from './texts.ts';

/** A booking by link: the held start, what was typed, and the booked visit; kept in the tab's storage. */
export function useBooking(companyUid: string) {
  const client = useQueryClient();
  const [state, setState] = useState(() => loadBooking(companyUid));
  const [busy, setBusy] = useState<string | null>(null);
  const [failure, setFailure] = useState<string>();
  /** The start that was given back. */
  const [near, setNear] = useState<string>();
  const [taken, setTaken] = useState<readonly BookableStart[]>();
  const [access, setAccess] = useState<Access>();
  /** The hold and contact of an attempt that may have booked. */
  const submitted = useRef<{ holdUid: string; contact: string }>(undefined);
  useEffect(() => saveBooking(companyUid, state), [companyUid, state]);

  const change = (part: Partial<BookingState>) => setState((old) => ({ ...old, ...part }));

  /** Holds a start; returns whether it worked. For a taken one it shows free starts. */
  async function hold({ startDate, doctorId }: BookableStart): Promise<boolean> {
    setBusy(startDate);
    setFailure(undefined);
    setTaken(undefined);
    try {
      const body = { holder: state.holder, doctorId, startDate };
      const held = await send(holdSlot, { params: { companyUid }, body });
      change({
        held: {
          holdUid: held.holdUid,
          startDate: held.startDate,
          doctorId: held.doctorId,
          until: untilByThisDevice(held),
        },
      });
      return true;
    } catch (error) {
      if (isRefusal(error, 'slot-taken')) showTaken(error.current as TakenSlot | undefined);
      else setFailure(wordsFor(error));
      return false;
    } finally {
      setBusy(null);
    }
  }

  function showTaken(current: TakenSlot | undefined) {
    setTaken(current?.free ?? []);
    void invalidate(client, [listBookingSlots]);
  }

  /** Releases the hold immediately instead of after five minutes. */
  function release() {
    const holdUid = state.held?.holdUid;
    setNear(state.held?.startDate);
    change({ held: null });
    setTaken(undefined);
    if (holdUid === undefined) return;
    void send(releaseSlot, { params: { companyUid, holdUid } })
      // The hold expires anyway.
      .catch(() => undefined)
      .then(() => invalidate(client, [listBookingSlots]));
  }

  /** Books the held start. Returns where a code was sent when the contact has to be confirmed first. */
  async function book(
    person: Omit<BodyOf<typeof bookSlot>, 'holdUid' | 'code' | 'sendAgain'>,
    confirmation: Confirmation | undefined,
    onDone: () => void,
  ): Promise<ContactConfirmation | undefined> {
    const { held } = state;
    if (!held) return undefined;
    setTaken(undefined);
    const contact = contactOf(state.person);
    // After a lost response the server returns what it has booked then, and sends nothing to another contact.
    const isFirst = submitted.current?.holdUid !== held.holdUid;
    const isSame = isFirst || submitted.current?.contact === contact;
    submitted.current = { holdUid: held.holdUid, contact };
    try {
      const booked = await send(bookSlot, {
        params: { companyUid },
        body: { holdUid: held.holdUid, ...person, ...confirmation },
      });
      setAccess({ ...booked, contact: isSame ? contact : null });
      setState(bookedState(booked));
      onDone();
    } catch (error) {
      if (isRefusal(error, 'confirm-contact')) {
        const confirm = error.current as ContactConfirmation;
        change({ held: { ...held, until: untilByThisDevice(confirm) } });
        submitted.current = undefined;
        return confirm;
      }
      if (!isRefusal(error, 'slot-taken')) throw error;
      showTaken(error.current as TakenSlot | undefined);
    }
    return undefined;
  }

  /** Forgets the booking of this tab. */
  function restart() {
    setState(freshBooking());
    setAccess(undefined);
  }

  return { state, change, near, taken, access, busy, failure, hold, release, book, restart };
}

/** When something ends by this device's clock, ms; both instants are the server's. */
function untilByThisDevice({ expires, now: serverNow }: { expires: string; now: string }): number {
  return Date.parse(now()) + Date.parse(expires) - Date.parse(serverNow);
}

/** Where the confirmation of a booking is sent, as typed. */
function contactOf({ email, phone }: Person): string {
  const [one, other] = [email.trim(), phone.trim()].filter(Boolean);
  return one && other ? texts.done.both(one, other) : (one ?? '');
}
