/** Objects of manifests, and the values by which the chart makes every kind of them. */

import assert from 'node:assert/strict';
import { parseAllDocuments } from 'yaml';
// @ts-expect-error: the scripts are plain JavaScript
import { inference } from '../../scripts/helmChart.mjs';

export type Json = Readonly<Record<string, unknown>>;
export const record = (value: unknown): Json => (value ?? {}) as Json;
export const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? value : []);
export const objects = (text: string): Json[] =>
	parseAllDocuments(text).map((document) => {
		assert.deepEqual(document.errors, []);
		return document.toJS() as Json;
	});

/** Every kind of object with the values that make it. */
export const chartVariants: readonly [string, object][] = [
	['as it stands', {}],
	['without a balancer', { balancer: { enabled: false }, batches: { store: '/batches' } }],
	['with HPA', { autoscaling: { kind: 'hpa' }, batches: { store: '/batches' } }],
	['with KEDA', { autoscaling: { kind: 'keda' }, batches: { unused: true } }],
	['with the inference extension', inference],
	['with secrets that are there', { secrets: { create: false } }],
	['with a bucket of batches', { batches: { store: 's3://bucket/folder' } }],
	['with a folder of batches', { batches: { store: '/batches' } }],
	['without a model at the start', { replicas: { preload: '' } }],
	[
		'with values that do not know the newer ones',
		{
			balancer: { forPrograms: null },
			gateway: { ingressNamespace: null, trustedProxies: null, graceSeconds: null },
			replicas: { graceSeconds: null },
			autoscaling: { kind: 'keda', selector: null },
			batches: { store: '/batches', unused: null },
		},
	],
	['with proxies on the nodes', { gateway: { trustedProxies: ['10.0.0.0/8', '192.0.2.1/32'] } }],
	['with programs in the cluster', { balancer: { forPrograms: true } }],
];
