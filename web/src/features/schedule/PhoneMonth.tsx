import { Typography } from '@mui/material';
import { useMemo } from 'react';
import { Link } from 'react-router';
import { to } from '../../paths.ts';
import { formatLongDate, formatMinute } from '../../time/time.ts';
import { Button } from '../../ui/Button.tsx';
import { hueStyle, Initials } from './Initials.tsx';
import { dayWords, type MonthProps, offWords, Weekdays } from './MonthGrid.tsx';
import { clickedDate, useMonthKeys } from './month-keys.ts';
import { texts } from './texts.ts';

/** The month on a phone: counts per day, and the agenda of the chosen date. A tap on a day opens it (SCHED-2). */
export function PhoneMonth({ date, month, weeks, today, model, providers, openDay, choose }: MonthProps) {
  const { table, tabStop, onKeyDown, onFocus } = useMonthKeys({ date, weeks, choose });
  const byId = useMemo(() => new Map(providers.map((provider) => [provider.userId, provider])), [providers]);
  const chosen = model?.get(date);
  return (
    <>
      <div
        role="presentation"
        data-keeps-focus
        onKeyDown={onKeyDown}
        onFocus={onFocus}
        onClick={(event) => {
          const day = clickedDate(event);
          if (day) openDay(day);
        }}
      >
        <table ref={table} className="sch-mini" aria-busy={!model}>
          <Weekdays />
          <tbody>
            {weeks.map((week) => (
              <tr key={week[0]}>
                {week.map((day) => {
                  const of = model?.get(day);
                  const count = of?.lines.length ?? 0;
                  return (
                    <td key={day}>
                      <a
                        href={`#${to.scheduleDailyOf({ date: day })}`}
                        data-date={day}
                        data-other={!day.startsWith(month) || undefined}
                        data-closed={(of && !of.isOpen) || undefined}
                        data-today={day === today || undefined}
                        tabIndex={day === tabStop ? 0 : -1}
                        aria-label={dayWords(day, of, offWords(of, byId))}
                        aria-current={day === date ? 'date' : undefined}
                      >
                        <span className="sch-number">{Number(day.slice(8))}</span>
                        <span className="sch-count" data-count={count || undefined} />
                      </a>
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <section aria-labelledby="sch-agenda" className="sch-agenda">
        <header>
          <Typography variant="h2" id="sch-agenda">
            {formatLongDate(date)}
          </Typography>
          <Button look="secondary" to={to.scheduleDailyOf({ date })} sx={{ flex: 'none', px: 2 }}>
            {texts.openDay}
          </Button>
        </header>
        {offWords(chosen, byId).map((text) => (
          <p key={text} className="sch-off">
            {text}
          </p>
        ))}
        {chosen?.lines.length === 0 && <Typography color="textSecondary">{texts.agendaEmpty}</Typography>}
        <ul>
          {chosen?.lines.map(({ entry, minute, until }) => {
            const provider = byId.get(entry.doctorId);
            return (
              <li key={entry.appointmentId} style={hueStyle(provider?.hue ?? 0)}>
                <Link
                  to={to.appointmentEdit({ patient: entry.patientId, id: entry.appointmentId })}
                  className="sch-agenda-row"
                >
                  <time>{until === undefined ? formatMinute(minute) : texts.until(formatMinute(until))}</time>
                  <span>
                    <strong>{entry.patient}</strong>
                    <br />
                    {provider?.name}
                    {entry.status === 'scheduled' ? '' : `, ${texts.status[entry.status]}`}
                  </span>
                  {provider && <Initials provider={provider} />}
                </Link>
              </li>
            );
          })}
        </ul>
      </section>
    </>
  );
}
