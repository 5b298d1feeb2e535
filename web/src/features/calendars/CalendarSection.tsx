import { Typography } from '@mui/material';
import {
  changeProviderFeed,
  createProviderFeed,
  getProviderCalendar,
  removeProviderFeed,
} from '@roomside/contract/calendars/calls.ts';
import { useChange, useRead } from '../../api/use-call.ts';
import { useIsClinicOpen } from '../../api/use-closed.ts';
import { LoadError } from '../../ui/LoadError.tsx';
import { Section } from '../../ui/Section.tsx';
import { ExternalPart } from './ExternalPart.tsx';
import { FeedPart } from './FeedPart.tsx';
import { texts } from './texts.ts';

/** The calendar feed and the external calendar of a provider, in My Account and in the user's editor. */
export function CalendarSection({ userId }: { userId: number }) {
  const params = { userId };
  const isOpen = useIsClinicOpen();
  const calendar = useRead(getProviderCalendar, { params }, { enabled: isOpen });
  const make = useChange(createProviderFeed, { invalidates: [getProviderCalendar] });
  const change = useChange(changeProviderFeed, { invalidates: [getProviderCalendar], success: texts.changed });
  const remove = useChange(removeProviderFeed, { invalidates: [getProviderCalendar], success: texts.removed });
  const { data, error } = calendar;
  // The license has expired, or a second factor is missing.
  if (!isOpen) return null;
  return (
    <Section title={texts.title}>
      {data ? (
        <>
          <Typography variant="h3" sx={{ mb: -1 }}>
            {texts.feed}
          </Typography>
          <FeedPart
            feed={data.feed}
            text={texts.feedText}
            isPending={make.isPending || change.isPending || remove.isPending}
            make={(showsInitials) =>
              make.mutateAsync({ params, body: { showsInitials } }).then(
                ({ address }) => address,
                () => undefined,
              )
            }
            change={(showsInitials) => change.mutate({ params, body: { showsInitials } })}
            remove={() => remove.mutate({ params })}
          />
          <Typography variant="h3" sx={{ mt: 2, mb: -1 }}>
            {texts.external}
          </Typography>
          <ExternalPart userId={userId} external={data.external} />
        </>
      ) : error ? (
        <LoadError error={error} onRetry={() => void calendar.refetch()} />
      ) : (
        <Typography variant="body2" color="textSecondary" aria-busy>
          {texts.feedText}
        </Typography>
      )}
    </Section>
  );
}
