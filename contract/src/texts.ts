/** Field error texts that server and screens share (VALID-20, ERROR-9). Quoted in the specification: exact. */
export const fieldTexts = {
  required: 'Required',
  invalid: 'Invalid',
  notValid: 'Not valid',
  doesntSeemValid: "Doesn't seem valid",
  contact: 'Please provide at least one phone or an email.',
  dateAndTime: 'Please select date and time.',
  provider: 'Please select a provider.',
  atMost: (max: number) => `At most ${max} characters`,
  atLeast: (min: number) => `At least ${min} characters`,
} as const;
