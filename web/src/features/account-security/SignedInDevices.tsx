import { Box, Chip, List, ListItem, Typography } from '@mui/material';
import { endOwnSignIn, listSignIns, type SignedInDevice } from '@roomside/contract/account-security/calls.ts';
import { logout } from '@roomside/contract/auth/calls.ts';
import { useNavigate } from 'react-router';
import { useChange, useRead } from '../../api/use-call.ts';
import { to } from '../../paths.ts';
import { formatDateTime, ownZone } from '../../time/time.ts';
import { Button } from '../../ui/Button.tsx';
import { confirm } from '../../ui/confirm.ts';
import { LoadError } from '../../ui/LoadError.tsx';
import { Section } from '../../ui/Section.tsx';
import { texts as all } from './texts.ts';

const texts = all.devices;
const timeOf = (instant: string) => formatDateTime(instant, ownZone());

/** The devices on which the user is signed in; each can be signed out. */
export function SignedInDevices() {
  const devices = useRead(listSignIns);
  return (
    <Section title={texts.title}>
      <Typography variant="body2" color="textSecondary">
        {texts.text}
      </Typography>
      {devices.error && !devices.data ? (
        <LoadError error={devices.error} onRetry={() => void devices.refetch()} />
      ) : (
        <List disablePadding aria-busy={devices.isPending}>
          {devices.data?.data.map((device) => (
            <Device key={device.signInId} device={device} />
          ))}
        </List>
      )}
      <Box>
        <SignOutEverywhere />
      </Box>
    </Section>
  );
}

function Device({ device }: { device: SignedInDevice }) {
  const { signInId, browser, system, network, signedInAt, lastUsedAt, isThis } = device;
  const name = texts.name(browser, system);
  const end = useChange(endOwnSignIn, { invalidates: [listSignIns], success: texts.signedOut(name) });
  async function ask() {
    const details = [texts.questionDetail(timeOf(signedInAt))];
    const question = { text: texts.question(name), details, yes: texts.signOut, no: texts.cancel, danger: true };
    if (await confirm(question)) end.mutate({ params: { signInId } });
  }
  const lines = [
    ...(network ? [texts.network(network)] : []),
    texts.signedIn(timeOf(signedInAt)),
    ...(isThis ? [] : [texts.lastUsed(timeOf(lastUsedAt))]),
  ];
  return (
    <ListItem divider disableGutters sx={{ display: 'flex', flexWrap: 'wrap', gap: 1, alignItems: 'center' }}>
      <Box sx={{ flex: '1 1 220px', minWidth: 0 }}>
        <Typography>{name}</Typography>
        <Typography variant="body2" color="textSecondary">
          {lines.join(' · ')}
        </Typography>
      </Box>
      {isThis ? (
        <Chip label={texts.thisDevice} size="small" />
      ) : (
        <Button look="danger" loading={end.isPending} aria-label={texts.signOutOf(name)} onClick={() => void ask()}>
          {texts.signOut}
        </Button>
      )}
    </ListItem>
  );
}

function SignOutEverywhere() {
  const navigate = useNavigate();
  const end = useChange(logout, { onSuccess: () => navigate(to.logout()) });
  async function ask() {
    const yes = await confirm({
      text: texts.everywhereQuestion,
      yes: texts.everywhere,
      no: texts.cancel,
      danger: true,
    });
    if (yes) end.mutate({ body: { kind: 'staff', everywhere: true } });
  }
  return (
    <Button look="danger" loading={end.isPending} onClick={() => void ask()}>
      {texts.everywhere}
    </Button>
  );
}
