/** A line of the audit log. */

export interface AuditEvent {
	readonly event:
		| 'login_started'
		| 'login'
		| 'login_failed'
		| 'client_login'
		| 'client_login_failed'
		| 'logout'
		| 'sessions_ended'
		| 'refresh'
		| 'refresh_failed'
		| 'code_issued'
		| 'code_redeemed'
		| 'code_refused'
		| 'device_started'
		| 'device_approved'
		| 'device_denied'
		| 'request_refused'
		| 'identity_missing'
		| 'lines_left_out'
		| 'keys_reloaded'
		| 'store_failed'
		| 'store_recovered'
		| 'audit_reopened'
		| 'audit_failed'
		| 'started'
		| 'stopped';
	readonly clientIp?: string;
	readonly provider?: string;
	readonly userId?: string;
	readonly reason?: string;
	readonly path?: string;
	readonly status?: number;
	readonly count?: number;
	readonly addresses?: number;
}
