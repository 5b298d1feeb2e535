import { Box, FormControlLabel, Switch, Typography } from '@mui/material';
import type { Feed } from '@roomside/contract/calendars/calls.ts';
import { useState } from 'react';
import { dateOf, formatDate, formatDateTime, ownZone } from '../../time/time.ts';
import { Button } from '../../ui/Button.tsx';
import { CopyField } from '../../ui/CopyField.tsx';
import { confirm } from '../../ui/confirm.ts';
import { useLostFocus } from '../../ui/use-lost-focus.ts';
import { texts } from './texts.ts';

interface Props {
  /** Null = there is none. */
  feed: Feed | null;
  text: string;
  /** Resolves with the new address. */
  make: (showsInitials: boolean) => Promise<string | undefined>;
  /** Of a feed that there is. */
  change: (showsInitials: boolean) => void;
  remove: () => void;
  isPending: boolean;
}

/** A feed: made, renewed and removed. Its address is shown until the page is left. */
export function FeedPart({ feed, text, make, change, remove, isPending }: Props) {
  const [address, setAddress] = useState<string>();
  /** Before there is a feed. */
  const [chosen, setChosen] = useState(false);
  const showsInitials = feed?.showsInitials ?? chosen;
  const makeButton = useLostFocus<HTMLButtonElement>(feed === null && !isPending);
  async function askRenew() {
    const question = { text: texts.renewQuestion, details: [texts.renewDetail], yes: texts.renewYes, no: texts.cancel };
    if (!feed || (await confirm({ ...question, danger: true }))) setAddress(await make(showsInitials));
  }
  async function askRemove() {
    const yes = await confirm({
      text: texts.removeQuestion,
      details: [texts.removeDetail],
      yes: texts.remove,
      no: texts.cancel,
      danger: true,
    });
    if (!yes) return;
    setAddress(undefined);
    remove();
  }
  return (
    <>
      <Typography variant="body2" color="textSecondary">
        {text} {texts.privacy}
      </Typography>
      {feed && <FeedState feed={feed} />}
      {feed && address && <NewAddress address={address} />}
      <div>
        <FormControlLabel
          control={
            <Switch
              checked={showsInitials}
              disabled={isPending}
              onChange={(_, next) => (feed ? change(next) : setChosen(next))}
            />
          }
          label={texts.showsInitials}
        />
      </div>
      <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>
        <Button ref={makeButton} look="secondary" loading={isPending} onClick={() => void askRenew()}>
          {feed ? texts.renew : texts.make}
        </Button>
        {feed && (
          <Button look="danger" disabled={isPending} onClick={() => void askRemove()}>
            {texts.remove}
          </Button>
        )}
      </Box>
    </>
  );
}

function FeedState({ feed: { createdAt, readAt } }: { feed: Feed }) {
  const zone = ownZone();
  return (
    <Typography variant="body2">
      {[
        texts.since(formatDate(dateOf(createdAt, zone))),
        readAt ? texts.readAt(formatDateTime(readAt, zone)) : texts.neverRead,
      ].join(' ')}
    </Typography>
  );
}

/** The address and how it is added to calendars. */
function NewAddress({ address }: { address: string }) {
  return (
    <>
      <CopyField
        label={texts.address}
        value={address}
        hint={texts.addressHint}
        copy={texts.copy}
        copied={texts.copied}
      />
      <Box component="dl" sx={{ display: 'grid', gap: 1, m: 0 }}>
        {texts.how.map(([program, how]) => (
          <div key={program}>
            <Typography component="dt" variant="body2" sx={{ fontWeight: 600 }}>
              {program}
            </Typography>
            <Typography component="dd" variant="body2" color="textSecondary" sx={{ m: 0 }}>
              {how}
            </Typography>
          </div>
        ))}
      </Box>
      <Typography variant="body2" color="textSecondary">
        {texts.howLater}
      </Typography>
    </>
  );
}
