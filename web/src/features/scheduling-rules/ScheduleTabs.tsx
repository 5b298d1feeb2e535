import { Tab, Tabs } from '@mui/material';
import { Link } from 'react-router';
import { to } from '../../paths.ts';
import { texts } from './texts.ts';

/** The two pages of a clinic's schedule settings. */
export function ScheduleTabs({ value }: { value: 'rules' | 'timeOff' }) {
  return (
    <Tabs value={value} component="nav" aria-label={texts.tabs} sx={{ mb: 2 }}>
      <Tab value="rules" label={texts.rules} component={Link} to={to.adminScheduling()} />
      <Tab value="timeOff" label={texts.timeOff} component={Link} to={to.adminTimeOff()} />
    </Tabs>
  );
}
