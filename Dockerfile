FROM python:3.12-slim
COPY . /src
RUN pip install --no-cache-dir '/src[plot]'
WORKDIR /data
ENTRYPOINT ["assay"]
