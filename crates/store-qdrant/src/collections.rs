//! The collections, and the calls on them.

use crate::{
    QdrantError, QdrantSettings, Quantisation,
    client::{Client, send},
    error::Result,
    wire::{Fields, is_any, live},
};
use qdrant_client::qdrant::{
    BinaryQuantizationBuilder, CountPointsBuilder, CreateCollectionBuilder,
    CreateFieldIndexCollectionBuilder, DeletePointsBuilder, Distance, FieldType, Filter, GetPointsBuilder,
    HnswConfigDiffBuilder, MultiVectorComparator, MultiVectorConfigBuilder, PayloadIncludeSelector, PointId,
    PointStruct, PointVectors, QueryPointsBuilder, RetrievedPoint, ScalarQuantizationBuilder, ScoredPoint,
    ScrollPointsBuilder, SetPayloadPointsBuilder, SparseIndexConfigBuilder, SparseVectorConfig,
    SparseVectorParamsBuilder, UpdateMode, UpdatePointVectorsBuilder, UpsertPointsBuilder, VectorParams,
    VectorParamsBuilder, VectorParamsMap, VectorsSelector, WriteOrdering, WriteOrderingType,
    points_selector::PointsSelectorOneOf, vectors_config,
};
use std::{collections::HashMap, sync::Arc};

/// The vector of a chunk's windows.
pub(crate) const WINDOWS: &str = "windows";
/// The vectors of its words; a generation uses one of them.
pub(crate) const WORDS: [&str; 2] = ["words_a", "words_b"];
/// Points that are read or updated in one call.
pub(crate) const PAGE: usize = 256;
/// Values that are asked for in one filter.
pub(crate) const VALUES: usize = 200;

/// The collections of an index.
#[derive(Clone)]
pub(crate) struct Collections {
    pub(crate) client: Client,
    pub(crate) settings: Arc<QdrantSettings>,
    pub(crate) chunks: Collection,
    pub(crate) sources: Collection,
    pub(crate) meta: Collection,
}

/// A collection.
#[derive(Clone)]
pub(crate) struct Collection {
    client: Client,
    name: String,
}

impl Collections {
    pub(crate) fn new(settings: QdrantSettings) -> Result<Self> {
        let client = Client::new(&settings)?;
        let name = &settings.collection;
        let named = |end| Collection { client: client.clone(), name: format!("{name}{end}") };
        let (chunks, sources, meta) = (named(""), named("_sources"), named("_meta"));
        Ok(Self { client, settings: Arc::new(settings), chunks, sources, meta })
    }

    /// Makes what is missing, with its payload indexes, for vectors of this dimension.
    pub(crate) async fn create(&self, dimension: usize) -> Result<()> {
        use FieldType::{Integer, Keyword};
        let all =
            [("born", Integer), ("died", Integer), ("source", Keyword), ("tags", Keyword), ("year", Integer)];
        let of_chunk = [("chunk", Keyword), ("section", Keyword), ("ordinal", Integer)];
        let of_meta = [
            ("kind", Keyword),
            ("first", Keyword),
            ("letters", Integer),
            ("keys", Keyword),
            ("generation", Integer),
        ];
        self.chunks.create(self.chunks_config(dimension), &[&all[..], &of_chunk].concat()).await?;
        self.sources.create(self.config(HashMap::new()), &[&all[..], &[("words", Keyword)]].concat()).await?;
        self.meta.create(self.config(HashMap::new()), &of_meta).await
    }

    fn config(&self, vectors: HashMap<String, VectorParams>) -> CreateCollectionBuilder {
        CreateCollectionBuilder::default()
            .shard_number(self.settings.shards)
            .replication_factor(self.settings.replicas)
            .on_disk_payload(true)
            .vectors_config(vectors_config::Config::from(VectorParamsMap::from(vectors)))
    }

    fn chunks_config(&self, dimension: usize) -> CreateCollectionBuilder {
        let windows = VectorParamsBuilder::new(dimension as u64, Distance::Dot)
            .on_disk(self.settings.on_disk)
            // A graph over multivectors misses chunks (docs/scale.md), and takes long to build.
            .hnsw_config(HnswConfigDiffBuilder::default().m(0))
            .multivector_config(MultiVectorConfigBuilder::new(MultiVectorComparator::MaxSim));
        let index = SparseIndexConfigBuilder::default().on_disk(self.settings.on_disk);
        let words = SparseVectorParamsBuilder::default().index(index).build();
        let words = SparseVectorConfig { map: WORDS.map(|name| (name.to_owned(), words)).into() };
        let config = self.config(HashMap::from([(WINDOWS.to_owned(), windows.build())]));
        let config = config.sparse_vectors_config(words);
        // What is compared first is in memory, the vectors themselves are read for few.
        match self.settings.quantisation {
            Quantisation::None => config,
            Quantisation::Scalar => {
                config.quantization_config(ScalarQuantizationBuilder::default().always_ram(true))
            }
            Quantisation::Binary => config.quantization_config(BinaryQuantizationBuilder::new(true)),
        }
    }

    /// What the server says of itself.
    pub(crate) async fn server(&self) -> Result<String> {
        let call = |q: qdrant_client::Qdrant| async move { q.health_check().await };
        let said = self.client.call("which server it is", self.client.read, call).await?;
        Ok(format!("{} {}", said.title, said.version))
    }

    pub(crate) fn missing(&self) -> QdrantError {
        QdrantError::Missing {
            collection: self.settings.collection.clone(),
            url: self.client.url.to_string(),
        }
    }
}

impl Collection {
    pub(crate) async fn exists(&self) -> Result<bool> {
        send!(self.client, read, "whether a collection is there", collection_exists, self.name.clone())
    }

    async fn create(
        &self,
        config: CreateCollectionBuilder,
        indexes: &[(&'static str, FieldType)],
    ) -> Result<()> {
        if !self.exists().await? {
            let config = config.collection_name(self.name.clone());
            let made = send!(self.client, write, "making a collection", create_collection, config);
            // Another part may make it too.
            if made.is_err() && !self.exists().await? {
                return made.map(drop);
            }
        }
        for (field, kind) in indexes {
            let index = CreateFieldIndexCollectionBuilder::new(self.name.clone(), *field, *kind).wait(true);
            send!(self.client, write, "making a payload index", create_field_index, index)?;
        }
        Ok(())
    }

    /// Writes points, whole: what an id held before is replaced. Returns once they are stored.
    pub(crate) async fn upsert(&self, points: Vec<PointStruct>) -> Result<()> {
        if points.is_empty() {
            Ok(())
        } else {
            self.write(UpsertPointsBuilder::new(self.name.clone(), points)).await
        }
    }

    /// Writes the points whose ids are not taken.
    pub(crate) async fn insert(&self, points: Vec<PointStruct>) -> Result<()> {
        self.write(UpsertPointsBuilder::new(self.name.clone(), points).update_mode(UpdateMode::InsertOnly))
            .await
    }

    /// Replaces a point that is there, where `condition` holds.
    pub(crate) async fn replace_if(&self, point: PointStruct, condition: Filter) -> Result<()> {
        let request = UpsertPointsBuilder::new(self.name.clone(), vec![point]).update_filter(condition);
        self.write(request.update_mode(UpdateMode::UpdateOnly)).await
    }

    async fn write(&self, request: UpsertPointsBuilder) -> Result<()> {
        // All copies of a shard take the writes in one order: writers must agree on who was first.
        let request = request.ordering(WriteOrdering { r#type: WriteOrderingType::Strong.into() }).wait(true);
        send!(self.client, write, "writing points", upsert_points, request).map(drop)
    }

    /// Replaces some vectors of points that are there.
    pub(crate) async fn update_vectors(&self, points: Vec<PointVectors>) -> Result<()> {
        let request = UpdatePointVectorsBuilder::new(self.name.clone(), points).wait(true);
        send!(self.client, write, "writing weights", update_vectors, request).map(drop)
    }

    /// Sets fields of the points that a filter finds.
    pub(crate) async fn set(&self, filter: Filter, fields: Fields) -> Result<()> {
        let request =
            SetPayloadPointsBuilder::new(self.name.clone(), fields).points_selector(filter).wait(true);
        send!(self.client, write, "marking points", set_payload, request).map(drop)
    }

    /// Deletes points, given by ids or a filter.
    pub(crate) async fn delete(&self, points: impl Into<PointsSelectorOneOf>) -> Result<()> {
        let request = DeletePointsBuilder::new(self.name.clone()).points(points).wait(true);
        send!(self.client, write, "deleting points", delete_points, request).map(drop)
    }

    /// The points of these ids that are there, in any order.
    pub(crate) async fn get(&self, ids: Vec<PointId>) -> Result<Vec<RetrievedPoint>> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let request = GetPointsBuilder::new(self.name.clone(), ids).with_payload(true).with_vectors(false);
        Ok(send!(self.client, read, "reading points", get_points, request)?.result)
    }

    /// All points that a filter finds, with these fields, and their windows if asked for.
    pub(crate) async fn all(
        &self,
        filter: Filter,
        names: &[&str],
        windows: bool,
    ) -> Result<Vec<RetrievedPoint>> {
        let fields: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let mut request = ScrollPointsBuilder::new(self.name.clone())
            .filter(filter)
            .limit(PAGE as u32)
            .with_payload(PayloadIncludeSelector::from(fields));
        request = if windows {
            request.with_vectors(VectorsSelector::from(vec![WINDOWS.to_owned()]))
        } else {
            request.with_vectors(false)
        };
        let mut found = Vec::new();
        loop {
            let page = send!(self.client, read, "reading points", scroll, request.clone())?;
            found.extend(page.result);
            let Some(offset) = page.next_page_offset else {
                return Ok(found);
            };
            request = request.offset(offset);
        }
    }

    /// The points of a generation of which a field is, or holds, one of these values; otherwise as [`Self::all`].
    pub(crate) async fn all_with(
        &self,
        generation: u64,
        (field, values): (&str, &[&str]),
        names: &[&str],
        windows: bool,
    ) -> Result<Vec<RetrievedPoint>> {
        let mut found = Vec::new();
        for values in values.chunks(VALUES) {
            let filter = live(generation, [is_any(field, values.iter().copied())]);
            found.extend(self.all(filter, names, windows).await?);
        }
        Ok(found)
    }

    pub(crate) async fn count(&self, filter: Filter) -> Result<usize> {
        let request = CountPointsBuilder::new(self.name.clone()).filter(filter).exact(true);
        let counted = send!(self.client, read, "counting points", count, request)?;
        Ok(counted.result.map_or(0, |result| result.count) as usize)
    }

    /// The best points by a search, which says all but the collection.
    pub(crate) async fn query(&self, search: QueryPointsBuilder) -> Result<Vec<ScoredPoint>> {
        let request = search.collection_name(self.name.clone());
        Ok(send!(self.client, read, "a search", query, request)?.result)
    }
}
