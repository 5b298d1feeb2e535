import { removePasskey, renamePasskey, type SecondFactor } from '@roomside/contract/account-security/calls.ts';
import { useState } from 'react';
import { isUnknown, OfflineError, ProblemError } from '../../api/problem.ts';
import { send } from '../../api/send.ts';
import type { PasskeyPlace } from '../../api/use-passkey-place.ts';
import { dateOf, formatDate, ownZone } from '../../time/time.ts';
import { Button } from '../../ui/Button.tsx';
import { confirm } from '../../ui/confirm.ts';
import { toast } from '../../ui/toast.ts';
import { Entry } from './Entry.tsx';
import { PasskeyNameDialog } from './PasskeyNameDialog.tsx';
import { texts as all } from './texts.ts';
import type { Confirmed } from './use-confirmed.tsx';

const texts = all.passkeys;
type Passkey = SecondFactor['passkeys'][number];
const dayOf = (instant: string) => formatDate(dateOf(instant, ownZone()));

interface Props {
  passkeys: readonly Passkey[];
  /** Where they work. */
  place: Exclude<PasskeyPlace, 'unknown'>;
  run: Confirmed['run'];
  /** Reads what is stored, when the response of a change is missing. */
  readAgain: () => Promise<SecondFactor | undefined>;
  onAdded: () => void;
  onChange: () => void;
}

/** The user's passkeys: added, renamed, removed. */
export function Passkeys({ passkeys, place, run, readAgain, onAdded, onChange }: Props) {
  const [naming, setNaming] = useState<'new' | Passkey>();
  const canAdd = place === 'here' && 'PublicKeyCredential' in globalThis;
  const text = passkeys.length > 0 ? texts.some : texts.none;

  async function add(name: string) {
    setNaming(undefined);
    const { createPasskey } = await import('./create-passkey.ts');
    const added = await run(() =>
      createPasskey(name).catch(async (error: unknown) => {
        if (isUnknown(error) && ((await readAgain())?.passkeys.length ?? 0) > passkeys.length) return true;
        if (error instanceof ProblemError || error instanceof OfflineError) throw error;
        // The browser's own error: the person cancelled, or the device has a passkey already.
        toast.error(texts.failed);
        return false;
      }),
    );
    if (added && added.result !== false) onAdded();
  }
  async function rename({ passkeyId }: Passkey, name: string) {
    setNaming(undefined);
    await run(() => send(renamePasskey, { params: { passkeyId }, body: { name } }));
    onChange();
  }
  async function remove({ passkeyId, name }: Passkey) {
    const question = { text: texts.removeQuestion(name), details: [texts.removeDetail], no: texts.cancel };
    if (!(await confirm({ ...question, yes: texts.remove, danger: true }))) return;
    if (await run(() => send(removePasskey, { params: { passkeyId } }))) toast.success(texts.removed);
    onChange();
  }

  return (
    <>
      <Entry title={texts.text} text={place === 'here' ? text : texts.elsewhere(place.host)}>
        {canAdd && (
          <Button look="secondary" onClick={() => setNaming('new')}>
            {texts.add}
          </Button>
        )}
      </Entry>
      {passkeys.map((passkey) => (
        <Entry
          key={passkey.passkeyId}
          title={passkey.name}
          text={texts.since(dayOf(passkey.createdAt), passkey.usedAt && dayOf(passkey.usedAt))}
        >
          <Button look="quiet" aria-label={texts.renameOf(passkey.name)} onClick={() => setNaming(passkey)}>
            {texts.rename}
          </Button>
          <Button look="danger" aria-label={texts.removeOf(passkey.name)} onClick={() => void remove(passkey)}>
            {texts.remove}
          </Button>
        </Entry>
      ))}
      {naming && (
        <PasskeyNameDialog
          title={naming === 'new' ? texts.add : texts.renameTitle}
          name={naming === 'new' ? texts.initialName : naming.name}
          submit={naming === 'new' ? texts.next : texts.save}
          onClose={() => setNaming(undefined)}
          onName={(name) => void (naming === 'new' ? add(name) : rename(naming, name))}
        />
      )}
    </>
  );
}
