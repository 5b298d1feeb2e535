/** Why an external calendar cannot be read, for the person who entered its address. */
export const calendarProblems = {
  address: 'This isn’t the address of a calendar. It begins with https:// or webcal://.',
  'not-https': 'Only addresses that begin with https:// or webcal:// can be read.',
  private: 'This address is in a private network, which we don’t read.',
  unreachable: 'The calendar’s server can’t be reached. Please check the address.',
  slow: 'The calendar’s server takes too long to answer.',
  refused: 'The calendar’s server doesn’t show this calendar. Please copy its secret address again.',
  redirects: 'This address leads to too many others.',
  'not-calendar': 'There is no calendar at this address. Copy the address that ends in .ics.',
  'too-large': 'This calendar is larger than 5 MB. Use one with fewer events.',
  'too-many': 'This calendar has too many events in the coming months.',
  'too-complex': 'This calendar has events that repeat too often to be read.',
} as const;

export type CalendarProblem = keyof typeof calendarProblems;
export const calendarProblemCodes = Object.keys(calendarProblems) as [CalendarProblem, ...CalendarProblem[]];
