import VerifiedUserOutlinedIcon from '@mui/icons-material/VerifiedUserOutlined';
import { Alert, AlertTitle, Box, Typography } from '@mui/material';
import { getAuditState } from '@roomside/contract/audit/calls.ts';
import { useRead } from '../../api/use-call.ts';
import { formatDateTime, ownZone } from '../../time/time.ts';
import { texts as all } from './texts.ts';

const texts = all.state;
const refetchIntervalMs = 60_000;

/** Whether the hash chain of the log is whole: a line, or an alarm. */
export function ChainState({ zone }: { zone: string }) {
  const { data } = useRead(getAuditState, undefined, { refetchInterval: refetchIntervalMs });
  if (!data) return null;
  const { checkedAt, verifiedTo, brokenAt } = data;
  const when = (instant: string) => formatDateTime(instant, zone, ownZone());
  if (brokenAt !== null)
    return (
      <Alert severity="error" role="alert">
        <AlertTitle>{texts.broken}</AlertTitle>
        {texts.brokenHint(when(brokenAt), verifiedTo && when(verifiedTo))}
      </Alert>
    );
  return (
    <Box role="status" sx={{ display: 'flex', gap: 1, alignItems: 'center', color: 'text.secondary' }}>
      <VerifiedUserOutlinedIcon fontSize="small" />
      <Typography variant="body2">
        {checkedAt && verifiedTo ? texts.verified(when(verifiedTo), when(checkedAt)) : texts.unverified}
      </Typography>
    </Box>
  );
}
