/** Texts of pictures that are taken in the room (ROOM-11). */
export const texts = {
  take: 'Take picture',
  short: 'Picture',
  noPatient: 'You can take a picture once the patient’s camera is on.',
  taken: 'A picture has been taken - you can find it in the patient account',
  title: 'Picture taken',
  open: 'Open photos',
  close: 'Close',
  takenOfYou: 'A picture was taken for your record.',
  failed: (why: string) => `The picture couldn’t be taken. ${why}`,
  noImage: 'There was no image from the camera.',
} as const;
