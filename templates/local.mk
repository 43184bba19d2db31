templatesdir = $(pkgdatadir)/templates
dist_templates_DATA = \
	templates/activate.sh templates/deactivate.sh templates/undo.sh \
	templates/activate.fish templates/deactivate.fish templates/undo.fish \
	templates/activate.csh templates/deactivate.csh templates/undo.csh templates/record.csh templates/mark.csh \
	templates/ask.csh templates/split.csh templates/item.csh templates/push.csh
