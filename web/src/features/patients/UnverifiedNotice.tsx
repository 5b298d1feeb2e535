import { Alert, AlertTitle, Box, Button, Link, Typography } from '@mui/material';
import { getPatient, listPatientMatches, listPatients, mergePatient } from '@roomside/contract/patients/calls.ts';
import { Link as RouterLink, useNavigate } from 'react-router';
import { useChange, useRead } from '../../api/use-call.ts';
import { to } from '../../paths.ts';
import { formatDate } from '../../time/time.ts';
import { confirm } from '../../ui/confirm.ts';
import { formatPhone } from '../../ui/phone.ts';
import { toast } from '../../ui/toast.ts';
import { texts } from './texts.ts';

const words = texts.unverified;

/** For somebody who booked by link: who it may be, to be joined with a known patient or kept as a new one. */
export function UnverifiedNotice({ patientId, name }: { patientId: number; name: string }) {
  const navigate = useNavigate();
  const matches = useRead(listPatientMatches, { params: { patientId } }).data?.data ?? [];
  const merge = useChange(mergePatient, { invalidates: [listPatients, getPatient] });

  async function decide(intoId: number, title: string, question: string, done: string) {
    if (merge.isPending || !(await confirm({ title, text: question, yes: words.yes, no: words.no }))) return;
    const stored = await merge.mutateAsync({ params: { patientId }, body: { intoId } }).catch(() => undefined);
    if (!stored) return;
    toast.success(done);
    if (stored.patientId !== patientId) await navigate(to.patientEdit({ id: stored.patientId }), { replace: true });
  }

  return (
    <Alert severity="info" sx={{ '& .MuiAlert-message': { width: '100%' } }}>
      <AlertTitle>{words.title}</AlertTitle>
      <Typography variant="body2">{matches.length > 0 ? words.matches : words.noMatches}</Typography>
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
              <Button
                variant="outlined"
                aria-label={words.joinLong(other)}
                onClick={() =>
                  void decide(match.patientId, words.joinTitle, words.joinQuestion(name, other), words.joined)
                }
              >
                {words.join}
              </Button>
            </Box>
          );
        })}
      </Box>
      <Button
        variant="outlined"
        sx={{ mt: 1 }}
        onClick={() => void decide(0, words.keepTitle, words.keepQuestion(name), words.kept)}
      >
        {words.keep}
      </Button>
    </Alert>
  );
}

const row = { display: 'flex', flexWrap: 'wrap', gap: 1.5, alignItems: 'center', py: 1 } as const;
