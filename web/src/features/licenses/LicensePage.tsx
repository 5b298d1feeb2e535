import BusinessOutlinedIcon from '@mui/icons-material/BusinessOutlined';
import { Alert, Box, Chip, FormControl, FormControlLabel, FormHelperText, Switch, Typography } from '@mui/material';
import { getLicense, type License, saveRenewal } from '@roomside/contract/licenses/calls.ts';
import { toCents } from '@roomside/contract/money.ts';
import { useEffect, useState } from 'react';
import { useParams } from 'react-router';
import { useSignIn } from '../../api/sign-in.ts';
import { useChange, useRead } from '../../api/use-call.ts';
import { Instead } from '../../Instead.tsx';
import { to } from '../../paths.ts';
import { formatLongDate } from '../../time/time.ts';
import { Button } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { LoadError } from '../../ui/LoadError.tsx';
import { formatMoney } from '../../ui/money.ts';
import { Page } from '../../ui/Page.tsx';
import { Section } from '../../ui/Section.tsx';
import { FormSkeleton } from '../../ui/Skeletons.tsx';
import { WhenRead } from '../../ui/WhenRead.tsx';
import { CardsSection, useCards } from './CardsSection.tsx';
import { InvoicesSection } from './InvoicesSection.tsx';
import { OrderSection } from './OrderSection.tsx';
import { texts } from './texts.ts';
import { type Order, useCalculated } from './use-calculated.ts';
import { usePurchase } from './use-purchase.ts';
import './license.css';

/** How long the thanks are shown before the waiting room opens, ms (CONST-12). */
const thanksMs = 1_000;
/** The fields of the sections while they load. */
const skeleton = [2, 2, 3];

/** /admin/payment: the license of the own company; with an id, for a Super, of any (ROUTE-6, ACCOUNT-4). */
export function LicensePage() {
  const companyId = Number(useParams()['id'] ?? 0) || 0;
  const signIn = useSignIn();
  const isSuper = signIn.status === 'in' && signIn.caller === 'Super';
  if (isSuper && companyId === 0) return <ChooseCompany />;
  return <LicenseOf key={companyId} companyId={companyId} isSuper={isSuper} />;
}

function ChooseCompany() {
  return (
    <Page title={texts.title}>
      <EmptyState
        icon={<BusinessOutlinedIcon />}
        text={texts.choose}
        hint={texts.chooseHint}
        action={
          <Button look="primary" to={to.adminCompanies()}>
            {texts.companies}
          </Button>
        }
      />
    </Page>
  );
}

function LicenseOf({ companyId, isSuper }: { companyId: number; isSuper: boolean }) {
  const { data, error, refetch } = useRead(getLicense, { params: { companyId } }, { staleTime: 0 });
  const title = isSuper && data ? texts.titleOf(data.companyName) : texts.title;
  return (
    <Page title={title} width="form">
      {data ? (
        <Licensing license={data} companyId={companyId} isSuper={isSuper} />
      ) : error ? (
        <LoadError error={error} onRetry={() => void refetch()} />
      ) : (
        <FormSkeleton sections={skeleton} />
      )}
    </Page>
  );
}

function Licensing({ license, companyId, isSuper }: { license: License; companyId: number; isSuper: boolean }) {
  const input = { params: { companyId } };
  const [order, setOrder] = useState<Order>({
    providers: String(Math.max(1, license.providerCount, license.providersInUse)),
    promoCode: '',
  });
  const total = useCalculated(license, order);
  const cards = useCards(input);
  const purchase = usePurchase(license, input);
  const { calculated } = total;
  const takesCards = license.processor !== null && toCents(license.price) > 0;

  const buy = () =>
    void purchase.buy(async () => {
      if (!calculated || !total.isReady) return undefined;
      const isFree = toCents(calculated.total) === 0;
      const charged = isFree ? { card: null, backup: null } : await cards.toCharge();
      if (!charged) return undefined;
      const code = order.promoCode.trim();
      return {
        user: { company: { companyId, providerCount: Number(order.providers) } },
        promoCode: code === '' ? null : { code },
        amount: calculated.total,
        expirationDate: license.expirationDate,
        ...charged,
      };
    });
  const save = async () => {
    purchase.setError('');
    purchase.setError(await cards.save());
  };

  return (
    <WhenRead
      isRead={total.isRead && (!takesCards || cards.read.isFetched)}
      waiting={<FormSkeleton sections={skeleton} />}
    >
      <Box sx={{ display: 'grid', gap: 2.5, gridTemplateColumns: 'minmax(0, 1fr)' }}>
        <StatusSection license={license} input={input} hasCard={cards.savedAt('primary') !== undefined} />
        <OrderSection
          license={license}
          order={order}
          total={total}
          onChange={setOrder}
          disabled={purchase.busy || purchase.isChecking}
        />
        {takesCards && license.processor && (
          <CardsSection
            cards={cards}
            processor={license.processor}
            busy={purchase.busy || purchase.isChecking}
            onSubmit={buy}
            onSave={() => void save()}
          />
        )}
        <Box sx={{ display: 'grid', gap: 1.5 }}>
          {purchase.error && <Alert severity="error">{purchase.error}</Alert>}
          {purchase.isChecking ? (
            <Alert severity="info">{texts.checking}</Alert>
          ) : license.payment?.state === 'action' && !purchase.busy ? (
            <Alert
              severity="info"
              action={
                <Button look="primary" onClick={() => void purchase.confirm()}>
                  {texts.confirm}
                </Button>
              }
            >
              {texts.action}
            </Alert>
          ) : (
            <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 2 }}>
              <Button look="primary" loading={purchase.busy} disabled={cards.busy} onClick={buy}>
                {license.expired ? texts.renew : texts.purchase}
                {calculated && total.isReady && ` · ${formatMoney(calculated.total, calculated.currency)}`}
              </Button>
              <Typography variant="body2" color="textSecondary" role="status">
                {purchase.busy && !purchase.paid ? texts.keepOpen : ''}
              </Typography>
            </Box>
          )}
        </Box>
        <InvoicesSection input={input} />
        {purchase.paid && <Leave isSuper={isSuper} onStay={() => purchase.setPaid(false)} />}
      </Box>
    </WhenRead>
  );
}

/** STATE-24: after the thanks the waiting room opens. A Super has none, and stays. */
function Leave({ isSuper, onStay }: { isSuper: boolean; onStay: () => void }) {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), thanksMs);
    return () => clearTimeout(timer);
  }, []);
  useEffect(() => {
    if (isOver && isSuper) onStay();
  }, [isOver, isSuper, onStay]);
  return isOver && !isSuper ? <Instead page={to.waitingRoom()} /> : null;
}

/** How the license stands, and whether it is renewed by itself. */
function StatusSection({
  license,
  input,
  hasCard,
}: {
  license: License;
  input: { params: { companyId: number } };
  hasCard: boolean;
}) {
  const { expired, expirationDate, providerCount, providersInUse, price, currency, autoRenew, renewsFrom } = license;
  const isFree = toCents(price) === 0;
  const save = useChange(saveRenewal, { invalidates: [getLicense] });
  const chosen = save.isPending ? save.variables.body.autoRenew : autoRenew;
  const canRenew = isFree || hasCard;
  const hint = !canRenew && !chosen ? texts.autoRenewNeedsCard : isFree ? texts.autoRenewFree : undefined;
  return (
    <Section title={texts.license}>
      <dl className="license-facts">
        <dt>{texts.status}</dt>
        <dd>
          <Chip size="small" color={expired ? 'error' : 'success'} label={expired ? texts.expired : texts.active} />
        </dd>
        <dt>{expired ? texts.expiredSince : texts.validUntil}</dt>
        <dd>{formatLongDate(expirationDate)}</dd>
        <dt>{texts.covered}</dt>
        <dd>{texts.inUse(providersInUse, providerCount)}</dd>
        <dt>{texts.price}</dt>
        <dd>{isFree ? texts.free : texts.perYear(formatMoney(price, currency))}</dd>
      </dl>
      <FormControl>
        <FormControlLabel
          label={texts.autoRenew}
          sx={{ minHeight: 44 }}
          disabled={!canRenew && !chosen}
          control={
            <Switch
              checked={chosen}
              onChange={(_, checked) => save.mutate({ ...input, body: { autoRenew: checked } })}
            />
          }
        />
        <FormHelperText>{hint ?? texts.autoRenewHint(formatLongDate(renewsFrom))}</FormHelperText>
      </FormControl>
    </Section>
  );
}
