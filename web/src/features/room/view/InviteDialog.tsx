import { MenuItem, TextField } from '@mui/material';
import { type Guest, inviteGuest, listGuests, removeGuest, sendGuestLink } from '@roomside/contract/guests/calls.ts';
import { type GuestRole, guestRoles } from '@roomside/contract/guests/guest.ts';
import { limits } from '@roomside/contract/limits.ts';
import { type FormEvent, useEffect, useState } from 'react';
import { useChange, useRead } from '../../../api/use-call.ts';
import { formatTime, ownZone } from '../../../time/time.ts';
import { Button } from '../../../ui/Button.tsx';
import { confirm } from '../../../ui/confirm.ts';
import { writeClipboard } from '../../../ui/copy-text.ts';
import { DialogFormActions, DialogFrame } from '../../../ui/DialogFrame.tsx';
import { formatPhone } from '../../../ui/phone.ts';
import type { Person } from '../call/room-view.ts';
import { texts } from './invite-texts.ts';
import './invite.css';

interface Props {
  uid: string;
  /** The others in the room: the list is read again when they change. */
  people: readonly Person[];
  onClose: () => void;
}

/** How often the list is read again while the dialog is open, ms: a link may expire. */
const refetchIntervalMs = 30_000;

/** Invites a person to this visit by a link, and lists everyone who was invited. */
export function InviteDialog({ uid, people, onClose }: Props) {
  const { data, refetch } = useRead(
    listGuests,
    { params: { uid } },
    { staleTime: 0, refetchInterval: refetchIntervalMs },
  );
  const present = people.map(({ peerId }) => peerId).join();
  useEffect(() => void refetch(), [present, refetch]);
  const guests = data?.data ?? [];
  return (
    <DialogFrame title={texts.title} text={texts.intro} width="sm" onClose={onClose}>
      <InviteForm uid={uid} />
      <section className="invite-list" aria-label={texts.invited}>
        <h3>{texts.invited}</h3>
        {data && guests.length === 0 && <p>{texts.none}</p>}
        <ul>
          {guests.toReversed().map((guest) => (
            <GuestRow key={guest.guestId} uid={uid} guest={guest} />
          ))}
        </ul>
      </section>
      <DialogFormActions>
        <Button look="quiet" onClick={onClose}>
          {texts.close}
        </Button>
      </DialogFormActions>
    </DialogFrame>
  );
}

const blank = { name: '', role: 'family' as GuestRole, contact: '' };

function InviteForm({ uid }: { uid: string }) {
  const [form, setForm] = useState(blank);
  const [errors, setErrors] = useState<{ name?: string; contact?: string }>({});
  const invite = useChange(inviteGuest, { invalidates: [listGuests] });
  const set = (part: Partial<typeof blank>) => {
    setForm({ ...form, ...part });
    setErrors({});
  };

  async function submit(event: FormEvent) {
    event.preventDefault();
    const { body, errors: found } = readForm(form);
    if (!body) return setErrors(found);
    const made = await invite.mutateAsync({ params: { uid }, body }).catch(() => undefined);
    if (made) setForm(blank);
  }

  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <TextField
        autoFocus
        fullWidth
        margin="normal"
        label={texts.name}
        value={form.name}
        error={errors.name !== undefined}
        helperText={errors.name}
        onChange={(event) => set({ name: event.target.value })}
        slotProps={{ htmlInput: { maxLength: limits.guestName, autoComplete: 'off' } }}
      />
      <TextField
        select
        fullWidth
        margin="normal"
        label={texts.role}
        value={form.role}
        onChange={(event) => set({ role: event.target.value as GuestRole })}
      >
        {guestRoles.map((role) => (
          <MenuItem key={role} value={role}>
            {texts.roles[role]}
          </MenuItem>
        ))}
      </TextField>
      <TextField
        fullWidth
        margin="normal"
        label={texts.contact}
        value={form.contact}
        error={errors.contact !== undefined}
        helperText={errors.contact ?? texts.contactHint}
        onChange={(event) => set({ contact: event.target.value })}
        slotProps={{ htmlInput: { maxLength: limits.email, autoComplete: 'off' } }}
      />
      <DialogFormActions>
        <Button look="primary" type="submit" disabled={invite.isPending}>
          {texts.create}
        </Button>
      </DialogFormActions>
    </form>
  );
}

/** Returns what is sent, or the errors by field. */
function readForm({ name, role, contact }: typeof blank) {
  const typed = contact.trim();
  const phone = typed.replace(/[\s().-]/g, '').replace(/^(\+?1)(?=\d{10}$)/, '');
  const way = typed === '' ? {} : typed.includes('@') ? { email: typed } : { phone };
  const { data: body, error } = inviteGuest.body.safeParse({ name: name.trim(), role, ...way });
  const issueOf = (field: string) => error?.issues.find(({ path }) => path[0] === field)?.message;
  const wrongName = issueOf('name');
  const errors = {
    ...(wrongName !== undefined && { name: wrongName }),
    ...((issueOf('email') ?? issueOf('phone')) !== undefined && { contact: texts.contactWrong }),
  };
  return { body, errors };
}

function GuestRow({ uid, guest }: { uid: string; guest: Guest }) {
  const { guestId, name, role, state, link, contact, sentAt } = guest;
  // A toast would be behind the dialog.
  const [note, setNote] = useState('');
  const input = { params: { uid, guestId } };
  const sendLink = useChange(sendGuestLink, { invalidates: [listGuests], onSuccess: () => setNote(texts.sent(name)) });
  const remove = useChange(removeGuest, { invalidates: [listGuests] });
  const isOpen = link !== '';

  async function askRemove() {
    const text = texts.removeQuestion(name);
    if (await confirm({ text, yes: texts.remove, no: texts.removeNo, danger: true })) remove.mutate(input);
  }

  return (
    <li>
      <p className="invite-person">
        <strong>{name}</strong>
        <span>{texts.roles[role]}</span>
        <span data-state={state}>{texts.states[state]}</span>
      </p>
      {isOpen && (
        <>
          <p className="invite-link">{link}</p>
          <div className="invite-actions">
            <Button look="secondary" aria-label={texts.copyOf(name)} onClick={() => void copy(link).then(setNote)}>
              {texts.copy}
            </Button>
            {contact !== '' && (
              <Button look="secondary" disabled={sendLink.isPending} onClick={() => sendLink.mutate(input)}>
                {contact.includes('@') ? texts.email(name, contact) : texts.text(name, formatPhone(contact))}
              </Button>
            )}
            <Button
              look="danger"
              aria-label={texts.removeOf(name)}
              disabled={remove.isPending}
              onClick={() => void askRemove()}
            >
              {texts.remove}
            </Button>
          </div>
          {sentAt !== null && <p>{texts.sentAt(formatTime(sentAt, ownZone()))}</p>}
          <p role="status">{note}</p>
        </>
      )}
    </li>
  );
}

/** Returns what to say about it. */
async function copy(link: string): Promise<string> {
  return (await writeClipboard(link)) ? texts.copied : texts.copyFailed;
}
