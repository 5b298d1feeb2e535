import { Typography } from '@mui/material';
import {
  changeClinicFeed,
  createClinicFeed,
  getClinicFeed,
  removeClinicFeed,
} from '@roomside/contract/calendars/calls.ts';
import { useChange, useRead } from '../../api/use-call.ts';
import { useIsClinicOpen } from '../../api/use-closed.ts';
import { LoadError } from '../../ui/LoadError.tsx';
import { Section } from '../../ui/Section.tsx';
import { FeedPart } from './FeedPart.tsx';
import { texts } from './texts.ts';

/** Company Info: the calendar feed of the clinic. */
export function ClinicFeedSection() {
  const isOpen = useIsClinicOpen();
  const clinic = useRead(getClinicFeed, undefined, { staleTime: 0, enabled: isOpen });
  const make = useChange(createClinicFeed, { invalidates: [getClinicFeed] });
  const change = useChange(changeClinicFeed, { invalidates: [getClinicFeed], success: texts.changed });
  const remove = useChange(removeClinicFeed, { invalidates: [getClinicFeed], success: texts.removed });
  const { data, error } = clinic;
  // The license has expired, or a second factor is missing.
  if (!isOpen) return null;
  return (
    <Section title={texts.clinicTitle}>
      {data ? (
        <FeedPart
          feed={data.feed}
          text={texts.clinicFeedText}
          isPending={make.isPending || change.isPending || remove.isPending}
          make={(showsInitials) =>
            make.mutateAsync({ body: { showsInitials } }).then(
              ({ address }) => address,
              () => undefined,
            )
          }
          change={(showsInitials) => change.mutate({ body: { showsInitials } })}
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
