import { Alert, AlertTitle, Box, Link, Skeleton, Typography } from '@mui/material';
import type { ResultOf } from '@roomside/contract/call.ts';
import { getPatient, listPatientMatches, listPatients, mergePatient } from '@roomside/contract/patients/calls.ts';
import { useQueryClient } from '@tanstack/react-query';
import { Link as RouterLink } from 'react-router';
import { invalidate, readKey, useChange, useRead } from '../../api/use-call.ts';
import { useNavigateAfterCall } from '../../page-of-call.ts';
import { to } from '../../paths.ts';
import { formatDate } from '../../time/time.ts';
import { Button } from '../../ui/Button.tsx';
import { choose, confirm } from '../../ui/confirm.ts';
import { LoadError } from '../../ui/LoadError.tsx';
import { formatPhone } from '../../ui/phone.ts';
import { toast } from '../../ui/toast.ts';
import { texts } from './texts.ts';

const words = texts.unverified;
type Match = ResultOf<typeof listPatientMatches>['data'][number];

interface Props {
  patientId: number;
  name: string;
  /** The contact that came with the booking. */
  email: string;
  phones: readonly string[];
}

/** For a patient who booked by link: lists possible matches, to merge with one or to keep as a new patient. */
export function UnverifiedNotice({ patientId, name, email, phones }: Props) {
  const navigate = useNavigateAfterCall();
  const read = useRead(listPatientMatches, { params: { patientId } });
  const matches = read.data?.data ?? [];
  const client = useQueryClient();
  const merge = useChange(mergePatient, {
    invalidates: [listPatients],
    onSuccess: async ({ patientId: kept }) => {
      if (kept === patientId) return invalidate(client, [getPatient]);
      // The merged record no longer exists, and the other one has more data than was read.
      client.removeQueries({ queryKey: readKey(getPatient, { params: { patientId: kept } }) });
    },
  });

  async function keep() {
    const { yes, no, keepTitle: title } = words;
    if (merge.isPending || !(await confirm({ title, text: words.keepQuestion(name), yes, no }))) return;
    const stored = await merge.mutateAsync({ params: { patientId }, body: { intoId: 0 } }).catch(() => undefined);
    if (stored) toast.success(words.kept);
  }

  /** A different contact is either taken over or dropped: the invitation goes to the kept one. */
  async function join(match: Match) {
    if (merge.isPending) return;
    const other = `${match.firstName} ${match.lastName}`;
    const typed = [
      match.same.includes('email') ? '' : email,
      ...(match.same.includes('phone') ? [] : phones.map(formatPhone)),
    ];
    const fresh = typed.filter(Boolean).join(', ');
    const question = words.joinQuestion(name, other);
    const takeContact = await choose<boolean | null>({
      title: words.joinTitle,
      text: fresh ? `${question} ${words.contactQuestion(fresh)}` : question,
      choices: [
        { value: null, label: words.no },
        ...(fresh ? [{ value: true, label: words.contactTake }] : []),
        { value: false, label: fresh ? words.contactKeep : words.yes, look: 'primary' },
      ],
    });
    if (takeContact === null) return;
    const body = { intoId: match.patientId, takeContact };
    const stored = await merge.mutateAsync({ params: { patientId }, body }).catch(() => undefined);
    if (!stored) return;
    if (stored.linksSent) toast.success(words.joined, { across: 'next' });
    else toast.warning(words.joinedUndelivered, { duration: 10_000, across: 'next' });
    await navigate(to.patientEdit({ id: stored.patientId }), { replace: true });
  }

  return (
    <Alert severity="info" sx={{ '& .MuiAlert-message': { width: '100%' } }}>
      <AlertTitle>{words.title}</AlertTitle>
      {read.data ? (
        <Typography variant="body2">{matches.length > 0 ? words.matches : words.noMatches}</Typography>
      ) : read.error ? (
        <LoadError error={read.error} onRetry={() => void read.refetch()} />
      ) : (
        <Skeleton width="60%" />
      )}
      <Box component="ul" sx={{ listStyle: 'none', p: 0, m: 0 }}>
        {matches.map((match) => {
          const other = `${match.firstName} ${match.lastName}`;
          const facts = [match.doB && formatDate(match.doB), match.email, match.phone && formatPhone(match.phone)]
            .filter(Boolean)
            .join(' · ');
          return (
            <Box component="li" key={match.patientId} sx={row}>
              <Box sx={{ flex: '1 1 220px', minWidth: 0 }}>
                <Link component={RouterLink} to={to.patientEdit({ id: match.patientId })}>
                  {other}
                </Link>
                <Typography variant="body2" sx={{ overflowWrap: 'anywhere' }}>
                  {facts}
                </Typography>
                <Typography variant="body2" color="textSecondary">
                  {words.same(match.same.map((fact) => words.facts[fact]))}
                </Typography>
              </Box>
              <Button look="secondary" aria-label={words.joinLong(other)} onClick={() => void join(match)}>
                {words.join}
              </Button>
            </Box>
          );
        })}
      </Box>
      {/* Only who has seen the matches can know that there is none. */}
      <Button look="secondary" sx={{ mt: 1 }} disabled={!read.data} onClick={() => void keep()}>
        {words.keep}
      </Button>
    </Alert>
  );
}

const row = { display: 'flex', flexWrap: 'wrap', gap: 1.5, alignItems: 'center', py: 1 } as const;
