import { Typography } from '@mui/material';
import { getClinicFeed, makeClinicFeed, removeClinicFeed } from '@roomside/contract/calendars/calls.ts';
import { useChange, useRead } from '../../api/use-call.ts';
import { LoadError } from '../../ui/LoadError.tsx';
import { Section } from '../../ui/Section.tsx';
import { FeedPart } from './FeedPart.tsx';
import { texts } from './texts.ts';

/** Company Info: the calendar feed of the clinic. */
export function ClinicFeedSection() {
  const clinic = useRead(getClinicFeed, undefined, { staleTime: 0 });
  const make = useChange(makeClinicFeed, { invalidates: [getClinicFeed] });
  const remove = useChange(removeClinicFeed, { invalidates: [getClinicFeed], success: texts.removed });
  const { data, error } = clinic;
  return (
    <Section title={texts.clinicTitle}>
      {data ? (
        <FeedPart
          feed={data.feed}
          text={texts.clinicFeedText}
          isPending={make.isPending || remove.isPending}
          make={(showsInitials) =>
            make.mutateAsync({ body: { showsInitials } }).then(
              ({ address }) => address,
              () => undefined,
            )
          }
          remove={() => remove.mutate({})}
        />
      ) : error ? (
        <LoadError error={error} onRetry={() => void clinic.refetch()} />
      ) : (
        <Typography variant="body2" color="textSecondary" aria-busy>
          {texts.clinicFeedText}
        </Typography>
      )}
    </Section>
  );
}
