import { Button as MaterialButton, type ButtonProps as MaterialProps } from '@mui/material';
import { Link, type To } from 'react-router';

/**
 * A button's rank: `primary` is the next thing to do, once per page or dialog; `secondary` another action; `quiet` a way back or an action
 * of little weight; `urgent` the next thing to do when somebody waits for it; `danger` one that removes something; `danger-primary` the same as the answer to a question.
 */
export type ButtonLook = 'primary' | 'secondary' | 'quiet' | 'urgent' | 'danger' | 'danger-primary';

interface Props extends Omit<MaterialProps, 'variant' | 'color'> {
  look: ButtonLook;
  /** Makes it a link to a page. */
  to?: To;
}

const looks: Record<ButtonLook, Pick<MaterialProps, 'variant' | 'color'>> = {
  primary: { variant: 'contained', color: 'primary' },
  secondary: { variant: 'outlined', color: 'secondary' },
  quiet: { variant: 'text', color: 'secondary' },
  urgent: { variant: 'contained', color: 'warning' },
  danger: { variant: 'outlined', color: 'error' },
  'danger-primary': { variant: 'contained', color: 'error' },
};

/** A button on the staff's pages. */
export function Button({ look, to, ...rest }: Props) {
  const link = to === undefined ? {} : { component: Link, to };
  return <MaterialButton {...looks[look]} {...link} {...rest} />;
}
