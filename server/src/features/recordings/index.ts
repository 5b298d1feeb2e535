import { deleteRecording, deleteRecordings } from './delete-recordings.ts';
import { listRecordings } from './list-recordings.ts';
import { playRecording } from './play-recording.ts';
import { uploadRecording } from './upload-recording.ts';

export const recordingCalls = [uploadRecording, listRecordings, deleteRecordings, deleteRecording, playRecording];
