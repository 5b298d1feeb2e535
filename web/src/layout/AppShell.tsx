import type { SvgIconComponent } from '@mui/icons-material';
import AccountCircleOutlinedIcon from '@mui/icons-material/AccountCircleOutlined';
import AdminPanelSettingsOutlinedIcon from '@mui/icons-material/AdminPanelSettingsOutlined';
import BadgeOutlinedIcon from '@mui/icons-material/BadgeOutlined';
import CalendarMonthOutlinedIcon from '@mui/icons-material/CalendarMonthOutlined';
import LogoutIcon from '@mui/icons-material/Logout';
import PeopleAltOutlinedIcon from '@mui/icons-material/PeopleAltOutlined';
import TodayOutlinedIcon from '@mui/icons-material/TodayOutlined';
import VideocamOutlinedIcon from '@mui/icons-material/VideocamOutlined';
import {
  Box,
  Drawer,
  List,
  ListItem,
  ListItemButton,
  ListItemIcon,
  ListItemText,
  Tooltip,
  Typography,
  useMediaQuery,
} from '@mui/material';
import { type ReactElement, useEffect, useMemo, useState } from 'react';
import { NavLink, useLocation } from 'react-router';
import { knownSignIn, useSignIn } from '../api/sign-in.ts';
import { useClosed } from '../api/use-closed.ts';
import { UnfinishedRecordings } from '../features/recordings/UnfinishedRecordings.tsx';
import { ShellContext } from '../ui/shell-context.ts';
import { texts as uiTexts } from '../ui/texts.ts';
import { ClinicOutlet } from './ClinicOutlet.tsx';
import { IdleWatch } from './IdleWatch.tsx';
import { areaOf, type MenuEntry, menuFor } from './menu.ts';
import { texts } from './texts.ts';

const menuWidth = 224;
/** Width of the menu without labels, px. */
const railWidth = 68;

const icons: Record<MenuEntry['icon'], SvgIconComponent> = {
  today: TodayOutlinedIcon,
  schedule: CalendarMonthOutlinedIcon,
  patients: PeopleAltOutlinedIcon,
  patient: VideocamOutlinedIcon,
  provider: BadgeOutlinedIcon,
  admin: AdminPanelSettingsOutlinedIcon,
  account: AccountCircleOutlinedIcon,
  logout: LogoutIcon,
};

/** The frame of the staff's pages: the main menu, icons only under 1024 px, behind a button under 750 px (MENU-5, CONST-3). */
export function AppShell() {
  const signIn = useSignIn();
  const narrow = useMediaQuery('(max-width: 749px)', { noSsr: true });
  const rail = useMediaQuery('(max-width: 1023px)', { noSsr: true });
  const [open, setOpen] = useState(false);
  const { pathname } = useLocation();
  const [before, setBefore] = useState<string>();
  const area = areaOf(pathname, before);
  if (area !== before) setBefore(area);

  useEffect(() => {
    // Pages without a guard show the menu of the signed-in person; without a response, none.
    if (signIn.status === 'unknown') void knownSignIn().catch(() => undefined);
  }, [signIn.status]);
  // Navigation closes the menu.
  useEffect(() => setOpen(false), [pathname]);

  const shell = useMemo(() => (narrow ? { openMenu: () => setOpen(true) } : {}), [narrow]);
  return (
    <ShellContext value={shell}>
      <Box
        component="a"
        href="#content"
        onClick={(event) => {
          // The hash is the router's, so the jump is done by script.
          event.preventDefault();
          const content = document.querySelector<HTMLElement>('#content');
          content?.setAttribute('tabindex', '-1');
          content?.focus();
        }}
        sx={skipLink}
      >
        {texts.skip}
      </Box>
      <Box sx={{ display: 'flex', minHeight: '100dvh' }}>
        {narrow ? (
          <Drawer open={open} onClose={() => setOpen(false)} slotProps={{ paper: { sx: { width: 288 } } }}>
            <Menu current={area} />
          </Drawer>
        ) : (
          <Box
            sx={{
              flex: 'none',
              width: rail ? railWidth : menuWidth,
              position: 'sticky',
              top: 0,
              height: '100dvh',
              overflowY: 'auto',
              bgcolor: 'background.paper',
              borderRight: '1px solid var(--rs-line)',
            }}
          >
            <Menu current={area} rail={rail} />
          </Box>
        )}
        <Box sx={{ flex: 1, minWidth: 0 }}>
          <ClinicOutlet />
        </Box>
      </Box>
      <IdleWatch />
      <UnfinishedRecordings />
    </ShellContext>
  );
}

function Menu({ current, rail = false }: { current: string | undefined; rail?: boolean }) {
  const signIn = useSignIn();
  const entries = menuFor(signIn, useClosed()?.why);
  return (
    <Box
      component="nav"
      aria-label={texts.menu}
      sx={{ display: 'flex', flexDirection: 'column', height: '100%', px: rail ? 1 : 1.5, pb: 2 }}
    >
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1.25, height: 64, px: 1.5 }}>
        <img src="/icon.svg" alt="" width="26" height="26" />
        {!rail && (
          <Typography component="span" sx={{ fontWeight: 650, letterSpacing: '-0.01em' }}>
            {uiTexts.product}
          </Typography>
        )}
      </Box>
      <List disablePadding sx={{ flex: 1 }}>
        {entries.map(({ label, path, area, icon }) => (
          <ListItem key={path} disablePadding sx={{ mb: 0.5 }}>
            <NameOfIcon name={label} isIcon={rail}>
              <ListItemButton
                component={NavLink}
                to={path}
                selected={area === current}
                sx={{ ...menuItem, ...(rail && { justifyContent: 'center', minHeight: 44, px: 0 }) }}
              >
                <ListItemIcon sx={{ minWidth: rail ? 0 : 36, color: 'inherit' }}>
                  <MenuIcon icon={icon} />
                </ListItemIcon>
                {!rail && (
                  <ListItemText
                    primary={label}
                    slotProps={{ primary: { sx: { fontWeight: 550, fontSize: 'var(--rs-size-md)' } } }}
                  />
                )}
              </ListItemButton>
            </NameOfIcon>
          </ListItem>
        ))}
      </List>
      {signIn.status === 'in' && !rail && (
        <Typography variant="caption" color="textSecondary" noWrap sx={{ px: 1.5 }}>
          {signIn.claims.given_name} {signIn.claims.family_name}
        </Typography>
      )}
    </Box>
  );
}

/** Names an entry that shows only its icon. The text stays while it closes, also when the menu gets wider. */
function NameOfIcon({ name, isIcon, children }: { name: string; isIcon: boolean; children: ReactElement }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Tooltip
      title={name}
      open={isIcon && isOpen}
      onOpen={() => setOpen(true)}
      onClose={() => setOpen(false)}
      placement="right"
    >
      {children}
    </Tooltip>
  );
}

function MenuIcon({ icon }: Pick<MenuEntry, 'icon'>) {
  const Icon = icons[icon];
  return <Icon fontSize="small" />;
}

const menuItem = {
  color: 'text.secondary',
  '&:hover': { bgcolor: 'var(--rs-sunken)' },
  '&.Mui-selected, &.Mui-selected:hover': { bgcolor: 'var(--rs-accent-soft)', color: 'text.primary' },
} as const;

const skipLink = {
  position: 'fixed',
  top: 8,
  left: 8,
  zIndex: 'tooltip',
  px: 2,
  py: 1.5,
  borderRadius: 1,
  bgcolor: 'primary.main',
  color: 'primary.contrastText',
  '&:not(:focus)': { clipPath: 'inset(50%)', width: 1, height: 1, overflow: 'hidden', p: 0 },
} as const;
