import { getPatient } from '@roomside/contract/patients/calls.ts';
import { useEffect } from 'react';
import { Outlet, useNavigate, useParams } from 'react-router';
import { useRead } from '../../api/use-call.ts';
import { to } from '../../paths.ts';
import { LoadError } from '../../ui/LoadError.tsx';
import { Page } from '../../ui/Page.tsx';
import { FormSkeleton } from '../../ui/Skeletons.tsx';
import { PatientEditor } from './PatientEditor.tsx';
import { blankPatient, toForm } from './patient-form.ts';
import { texts } from './texts.ts';
import { UnverifiedNotice } from './UnverifiedNotice.tsx';

/** /patient-edit/{id}, 0 = new (PATIENT-1 to PATIENT-3, ROUTE-4). */
export function PatientEditPage() {
  const id = useParams()['id'] ?? '';
  const isId = /^\d{1,15}$/.test(id);
  const navigate = useNavigate();
  useEffect(() => {
    if (!isId) void navigate(to.notFound(), { replace: true });
  }, [isId, navigate]);
  if (!isId) return null;
  const patientId = Number(id);
  return patientId === 0 ? (
    <PatientEditor key="new" read={blankPatient} />
  ) : (
    <StoredPatient key={patientId} patientId={patientId} />
  );
}

function StoredPatient({ patientId }: { patientId: number }) {
  const patient = useRead(getPatient, { params: { patientId } }, { staleTime: 0 });
  // The form needs a fresh result; a cached one would only lead to a conflict.
  if (patient.isFetchedAfterMount && patient.data) {
    return (
      <PatientEditor
        read={toForm(patient.data)}
        notice={
          !patient.data.verified && (
            <UnverifiedNotice
              patientId={patientId}
              name={`${patient.data.firstName} ${patient.data.lastName}`}
              email={patient.data.email}
              phones={patient.data.patientPhones.map(({ phone }) => phone)}
            />
          )
        }
      >
        <Outlet />
      </PatientEditor>
    );
  }
  return (
    <Page title={texts.patient} width="form">
      {patient.error ? (
        <LoadError error={patient.error} onRetry={() => void patient.refetch()} />
      ) : (
        <FormSkeleton sections={[4, 2]} />
      )}
    </Page>
  );
}
