import { Typography } from '@mui/material';
import { getProviderCalendar, makeProviderFeed, removeProviderFeed } from '@roomside/contract/calendars/calls.ts';
import { useChange, useRead } from '../../api/use-call.ts';
import { LoadError } from '../../ui/LoadError.tsx';
import { Section } from '../../ui/Section.tsx';
import { ExternalPart } from './ExternalPart.tsx';
import { FeedPart } from './FeedPart.tsx';
import { texts } from './texts.ts';

/** The calendar feed and the external calendar of a provider, in My Account and in the user's editor. */
export function CalendarSection({ userId }: { userId: number }) {
  const params = { userId };
  const calendar = useRead(getProviderCalendar, { params }, { staleTime: 0 });
  const make = useChange(makeProviderFeed, { invalidates: [getProviderCalendar] });
  const remove = useChange(removeProviderFeed, { invalidates: [getProviderCalendar], success: texts.removed });
  const { data, error } = calendar;
  return (
    <Section title={texts.title}>
      {data ? (
        <>
          <Typography variant="h3">{texts.feed}</Typography>
          <FeedPart
            feed={data.feed}
            text={texts.feedText}
            isPending={make.isPending || remove.isPending}
            make={(showsInitials) =>
              make.mutateAsync({ params, body: { showsInitials } }).then(
                ({ address }) => address,
                () => undefined,
              )
            }
            remove={() => remove.mutate({ params })}
          />
          <Typography variant="h3">{texts.external}</Typography>
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
