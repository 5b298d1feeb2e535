/** The texts of a scheduling rule's pattern in the list and in the editor's preview. */
export const ruleTexts = {
  weekdays: ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'],
  months: ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'],
  monthDays: Array.from({ length: 31 }, (_, index) => ordinal(index + 1)),
  weeks: ['first', 'second', 'third', 'fourth', 'last'],
  lastDay: 'last day',
  theLastDay: 'the last day',
  and: 'and',
  or: 'or',
  never: 'Never',
  everyMonth: 'every month',
  everyWeekday: 'Every weekday',
  /** The short form of all dates, as in the list's other columns. */
  date: (month: string, day: string, year: string) => `${month}/${day}/${year}`,
  until: (date: string) => ` until ${date}`,
  onceOn: (date: string) => `Once on ${date}`,
  onceOnFirst: (days: string, date: string) => `Once, on the first ${days} on or after ${date}`,
  onceOnNext: (days: string, date: string) => `Once, on the next ${days} on or after ${date}`,
  everyDays: (count: number) => (count === 1 ? 'Every day' : `Every ${count} days`),
  everyWeeks: (count: number, days: string) => `${count === 1 ? 'Every week' : `Every ${count} weeks`} on ${days}`,
  everyMonths: (count: number, days: string) =>
    `${count === 1 ? 'Every month' : `Every ${count} months`} on the ${days}`,
  daysOf: (days: string, months: string) => `The ${days} of ${months}`,
} as const;

/** 1 -> '1st' */
function ordinal(day: number): string {
  const ending = day > 10 && day < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][day % 10] ?? 'th');
  return `${day}${ending}`;
}
