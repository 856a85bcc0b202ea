"""The site for other programs: read-only JSON of what everybody may see, and its documentation.

`answers` is what every address does, `shapes` makes plain values of the site's nouns, `serializers`
list their fields for the schema, `views` are the addresses, `docs` the page that explains them.
Nobody logs in here, so that nobody sees more than another.
"""
