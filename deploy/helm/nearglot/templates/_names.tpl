{{- /* Words that several templates share. Only what Go's own templates know, no function of Helm. */ -}}
{{- define "engineLabels" }}
        llm-d.ai/engine-type: nearglot
        inference.networking.k8s.io/engine-type: nearglot
{{- end }}
{{- define "walls" }}
          # The wall around a model that takes over its process: it writes to its volumes and nothing else.
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities: { drop: [ALL] }
{{- end }}
