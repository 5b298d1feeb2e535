import { Outlet } from 'react-router';
import { usePreload } from '../../ui/use-preload.ts';

export const loadMonthPage = () => import('./MonthPage.tsx');
export const loadDayPage = () => import('./DayPage.tsx');

/** Around both calendars: loads the code of the other one, which is one click away. */
export function ScheduleRoutes() {
  usePreload(loadMonthPage);
  usePreload(loadDayPage);
  return <Outlet />;
}
