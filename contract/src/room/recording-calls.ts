import * as z from 'zod/mini';
import { call } from '../call.ts';
import { inRoom, providers } from '../permissions.ts';
import { id, uid } from '../shape.ts';

/** A person's answer to the question whether the visit may be recorded. It applies to one stream of one device. */
const answer = z.object({ peerId: z.string(), name: z.string(), streamId: z.string(), allowed: z.boolean() });

/**
 * The latest recording of a room. `asking`: not everyone in the room has allowed it yet; `running`: it records. `runId` is 0 and
 * the texts are empty before the first one. `recorded`: one has run (ENTITY-1).
 */
export const recordingState = z.object({
  status: z.enum(['off', 'asking', 'running']),
  runId: z.int(),
  /** Grows with each answer, with the start and with the end of a run: of two states of one run, the one with the smaller number is older. */
  change: z.int(),
  /** The device that records. */
  peerId: z.string(),
  name: z.string(),
  /** The latest answer of each device. */
  answers: z.array(answer),
  recorded: z.boolean(),
});
export type RecordingState = z.infer<typeof recordingState>;

const ofRoom = { path: '/api/teleappointments/:uid/recording', params: z.object({ uid }) } as const;

export const getRecordingState = call({
  name: 'getRecordingState',
  summary: 'Whether a visit is being recorded.',
  method: 'GET',
  who: inRoom,
  unlicensed: 'during-visit',
  ...ofRoom,
  result: recordingState,
});

/**
 * Asks everyone in the room, and records when all have allowed it. A repeat by the same device changes nothing, and starts the
 * recording when those who had not answered have left. The caller's device has to be in the room.
 */
export const startRecording = call({
  name: 'startRecording',
  summary: 'Starts to record a visit, when everyone in the room allows it.',
  method: 'POST',
  who: providers,
  unlicensed: 'during-visit',
  ...ofRoom,
  result: recordingState,
  refusals: ['recording-off', 'not-in-room', 'already-recording'],
});

export const stopRecording = call({
  name: 'stopRecording',
  summary: 'Stops the recording of a visit, or the question.',
  method: 'DELETE',
  who: providers,
  unlicensed: 'during-visit',
  ...ofRoom,
  result: recordingState,
});

/** An answer of a device in the room to the question. A refusal ends the question; a recording that runs continues without them. */
export const answerRecording = call({
  name: 'answerRecording',
  summary: 'Allows or refuses the recording of a visit.',
  method: 'POST',
  who: inRoom,
  unlicensed: 'during-visit',
  path: '/api/teleappointments/:uid/recording/answers',
  params: ofRoom.params,
  body: z.object({ runId: id, streamId: z.string().check(z.maxLength(100)), allowed: z.boolean() }),
  result: recordingState,
  refusals: ['not-in-room'],
});
