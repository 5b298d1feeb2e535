import AddIcon from '@mui/icons-material/Add';
import MenuIcon from '@mui/icons-material/Menu';
import { Box, IconButton, Toolbar, Typography } from '@mui/material';
import { type ReactNode, useContext, useEffect, useRef } from 'react';
import { Link, useLocation } from 'react-router';
import { Button } from './Button.tsx';
import { LoadingBar } from './LoadingBar.tsx';
import { SearchBox } from './SearchBox.tsx';
import { ShellContext } from './shell-context.ts';
import { texts } from './texts.ts';
import { useBuildTaps } from './use-build-taps.ts';
import { WaitingRoomLink } from './WaitingRoomLink.tsx';

interface Props {
  title: string;
  /** The document's title when the heading has a patient's name, which must not be in titles and histories. */
  documentTitle?: string;
  /** The Add button (MENU-5): a link or an action. */
  add?: { label: string } & ({ to: string } | { onClick: () => void });
  search?: { value: string; onChange: (text: string) => void; label?: string };
  /** More buttons, before Add. */
  actions?: ReactNode;
  /** `form` limits the line length; `full` uses the width. */
  width?: 'full' | 'form';
  children: ReactNode;
}

/** A staff page: title bar with tools, and the content (MENU-5). The heading takes the focus. */
export function Page({ title, documentTitle, add, search, actions, width = 'full', children }: Props) {
  const { openMenu } = useContext(ShellContext);
  const heading = useRef<HTMLHeadingElement>(null);
  const tap = useBuildTaps();
  const { pathname } = useLocation();
  const hasSearch = search !== undefined;

  useEffect(() => {
    document.title = `${documentTitle ?? title} · ${texts.product}`;
  }, [title, documentTitle]);
  // Another address of the same screen counts as a new page.
  useEffect(() => {
    // A field at the start of the page keeps the focus; losing it would show its error. So does a calendar's navigation.
    const inField = document.activeElement?.matches('#content :is(input, textarea, [data-keeps-focus] *)');
    if (!hasSearch && !inField) heading.current?.focus({ preventScroll: true });
  }, [pathname, hasSearch]);

  return (
    <>
      <Box
        component="header"
        sx={{
          position: 'sticky',
          top: 0,
          zIndex: 'appBar',
          bgcolor: 'background.default',
          borderBottom: '1px solid var(--rs-line)',
        }}
      >
        <Toolbar sx={{ gap: 1, minHeight: { xs: 56, sm: 64 }, px: { xs: 2, sm: 3 }, ...searching }} disableGutters>
          {openMenu && (
            <IconButton edge="start" aria-label={texts.openMenu} onClick={openMenu}>
              <MenuIcon />
            </IconButton>
          )}
          <Typography
            variant="h1"
            ref={heading}
            tabIndex={-1}
            onClick={tap}
            sx={{ mr: 'auto', outline: 'none', userSelect: 'none', ...twoLines }}
          >
            {title}
          </Typography>
          {search && <SearchBox {...search} />}
          {actions}
          {add && <AddButton {...add} />}
          <WaitingRoomLink />
        </Toolbar>
        <LoadingBar />
      </Box>
      <Box
        component="main"
        id="content"
        sx={{ p: { xs: 2, sm: 3 }, maxWidth: width === 'form' ? 880 : 1440, minWidth: 0 }}
      >
        {children}
      </Box>
    </>
  );
}

function AddButton(add: NonNullable<Props['add']>) {
  const target = 'to' in add ? { component: Link, to: add.to } : { onClick: add.onClick };
  return (
    <>
      <Button
        look="primary"
        startIcon={<AddIcon />}
        {...target}
        sx={{ display: { xs: 'none', lg: 'inline-flex' }, flex: 'none' }}
      >
        {add.label}
      </Button>
      <IconButton color="primary" aria-label={add.label} {...target} sx={{ display: { lg: 'none' } }}>
        <AddIcon />
      </IconButton>
    </>
  );
}

/** On a phone an open search covers the title; screen readers still find it. */
const searching = {
  '&:has(input[type="search"]) h1': {
    position: { xs: 'absolute', sm: 'static' },
    clipPath: { xs: 'inset(50%)', sm: 'none' },
  },
} as const;

/** A long title is not cut off on a narrow screen. */
const twoLines = {
  display: '-webkit-box',
  WebkitBoxOrient: 'vertical',
  WebkitLineClamp: { xs: 2, lg: 1 },
  overflow: 'hidden',
  overflowWrap: 'break-word',
  fontSize: { xs: 'var(--rs-size-lg)', lg: 'var(--rs-size-xl)' },
  lineHeight: { xs: 1.2, lg: 1.25 },
} as const;
