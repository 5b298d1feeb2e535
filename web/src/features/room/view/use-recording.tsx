import RecordIcon from '@mui/icons-material/FiberManualRecord';
import StopIcon from '@mui/icons-material/StopCircleOutlined';
import { confirm } from '../../../ui/confirm.ts';
import type { Room } from '../create-room.ts';
import { texts as leaveTexts } from '../recording/texts.ts';
import { texts } from './recording-texts.ts';
import type { Tool } from './tools.ts';
import { useStore } from './use-room.ts';

interface RecordingTool {
  /** Undefined where this person may not record. */
  tool: Tool | undefined;
  /** STATE-17: why the visit cannot be ended now. */
  endBlock: () => string | undefined;
  /** Asks before a recording in progress is left. Resolves with whether to leave. Uploads continue on other pages. */
  mayLeave: () => Promise<boolean>;
}

/** The tool for recording a visit (ROLE-3), and what a recording means for the visit's end. */
export function useRecording({ recording, session }: Room): RecordingTool {
  const { state, isMine, isBusy, isActive } = useStore(recording.view);
  const { hasFeed, people } = useStore(session.view);
  const isOff = state.status === 'off';
  const isAsking = state.status === 'asking';
  const isRunning = isMine && state.status === 'running';
  const tool: Tool = {
    id: 'record',
    group: 'share',
    label: isOff ? texts.record : isAsking ? texts.cancel : texts.stop,
    caption: isOff ? texts.recordShort : isAsking ? texts.cancelShort : texts.stopShort,
    icon: isOff || isAsking ? <RecordIcon /> : <StopIcon />,
    key: 'R',
    pressed: !isOff,
    warn: isMine,
    busy: isBusy,
    disabled: isOff && !hasFeed ? texts.alone : undefined,
    onSelect: () => void recording.toggle(),
  };
  return {
    tool: recording.mayRecord ? tool : undefined,
    endBlock: () => {
      if (isRunning && people.length > 0) return texts.endBlocked.recording;
      return isActive || recording.left() > 0 ? texts.endBlocked.uploading : undefined;
    },
    mayLeave: async () => !isRunning || confirm({ ...leaveTexts.leave, danger: true }),
  };
}
